//! Plans, and runs that may not start.

use charta::method::Capability;
use charta::methods::METHODS;

use crate::call::{Folder, method_names, views};

#[test]
fn a_plan_tells_algorithm_and_memory_without_running() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let words = [&*name, "digits", "--plan", "-o", "out.csv"];
        let text = folder
            .done(&[&words, &*views(entry, "digits")].concat())
            .text;
        for part in ["algorithm", "total", "1,797 rows × 64 columns", "fits"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let words = [&*name, "swiss-roll:100000000", "--plan", "--json"];
        let plan = folder
            .done(&[&words, &*views(entry, "swiss-roll")].concat())
            .json();
        assert_eq!(plan["plan"]["n_rows"], 100_000_000);
        assert!(plan["plan"]["bytes"].as_u64().unwrap() > 100_000_000 * 24);
    }
    assert!(folder.names().is_empty());
}

#[test]
fn a_run_that_would_not_fit_does_not_start() {
    let folder = Folder::new();
    for (entry, name) in METHODS.iter().zip(method_names()) {
        let words = [&*name, "digits", "--max-memory", "20KiB", "-o", "out.csv"];
        let errors = folder.fails(1, &[&words, &*views(entry, "digits")].concat());
        assert!(errors.contains("would need about"), "{errors}");
        assert!(errors.contains("20.0 KiB (--max-memory)"), "{errors}");
    }
    // Scaling needs all rows at once, so that batches are no way out.
    let errors = folder.fails(
        1,
        &[
            "pca",
            "blobs:20000",
            "--scale",
            "z_score",
            "--max-memory",
            "1MiB",
        ],
    );
    assert!(errors.contains("and may use 1.0 MiB"), "{errors}");
    // Nor can trimmed rows come in batches.
    let words = ["pca", "blobs:20000", "--trim", "0.1", "--max-memory"];
    let errors = folder.fails(1, &[&words[..], &["1MiB"]].concat());
    assert!(errors.contains("and may use 1.0 MiB"), "{errors}");
    // Batches are advised where they would fit, if only without the scaling, and nowhere else.
    let words = ["pca", "blobs:20000", "--scale", "z-score", "--max-memory"];
    for (memory, advised) in [("1MiB", true), ("1KiB", false)] {
        let errors = folder.fails(1, &[&words[..], &[memory]].concat());
        assert_eq!(errors.contains("`--streaming`"), advised, "{errors}");
        let plan = folder
            .done(&[&words[..], &[memory, "--plan"]].concat())
            .text;
        assert_eq!(plan.contains("`--streaming`"), advised, "{plan}");
    }
    let errors = folder.fails(1, &["pca", "iris", "--max-memory", "1KB"]);
    assert!(!errors.contains("`--streaming`"), "{errors}");
    let errors = folder.fails(1, &["scree", "digits", "--max-memory", "1KiB"]);
    assert!(errors.contains("would need about"), "{errors}");
    assert!(folder.names().is_empty());
}

#[test]
fn methods_that_stream_do_so_by_themselves_when_memory_is_short() {
    let folder = Folder::new();
    folder.done(&["data", "blobs:20000,columns=8", "-o", "b.csv", "-q"]);
    for (entry, name) in METHODS.iter().zip(method_names()) {
        if !entry.info.offers(Capability::Streams) {
            continue;
        }
        let answer = folder.done(&[&name, "b.csv", "--max-memory", "900KiB", "--json"]);
        assert_eq!(answer.json()["streaming"], true);
        assert!(
            answer.errors.contains("working in batches"),
            "{}",
            answer.errors
        );
    }
}

#[test]
fn a_plan_refuses_what_the_fit_would_refuse() {
    let folder = Folder::new();
    for method in [
        "isomap",
        "lle",
        "ltsa",
        "laplacian-eigenmaps",
        "diffusion-maps",
        "lpp",
        "npe",
    ] {
        for parameter in ["--n-components=150", "--n-neighbors=150"] {
            let call = [method, "iris", parameter];
            let fit = folder.call(&call);
            let plan = folder.call(&[method, "iris", parameter, "--plan"]);
            assert_ne!(plan.code, 0, "{call:?}: {}", plan.text);
            let last = |errors: &str| errors.lines().last().unwrap_or_default().to_string();
            assert_eq!(last(&plan.errors), last(&fit.errors), "{call:?}");
        }
        folder.done(&[method, "iris", "-n", "2", "-k", "20", "--plan"]);
    }
}
