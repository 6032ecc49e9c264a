//! Stopped runs: nothing half-written is left.
#![cfg(unix)]

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, SystemTime};

use nix::sys::signal::{SigHandler, Signal, signal};

use crate::call::{Answer, Folder};

const WORDS: [&str; 5] = ["pca", "big.csv", "-o", "out.csv", "-q"];

fn with_big_table() -> Folder {
    let folder = Folder::new();
    folder.done(&["data", "blobs:150000,columns=20", "-o", "big.csv", "-q"]);
    folder
}

/// A call that signals reach, even if the tests run where they are ignored, as under `nohup`.
fn stoppable(folder: &Folder, words: &[&str]) -> Command {
    let mut command = folder.command(words);
    // SAFETY: between fork and exec, setting a signal to its default action is allowed.
    unsafe {
        command.pre_exec(|| {
            for stops in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
                signal(stops, SigHandler::SigDfl)?;
            }
            Ok(())
        });
    }
    command
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn an_interrupt_stops_with_code_130_and_leaves_nothing() {
    let folder = with_big_table();
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let mut child = stoppable(&folder, &WORDS).spawn().unwrap();
        sleep(Duration::from_millis(150));
        send(signal, &child);
        let status = child.wait().unwrap();
        // A machine that reads the table in no time is done before.
        if status.success() {
            continue;
        }
        assert_eq!(status.code(), Some(code));
        assert_eq!(folder.names(), ["big.csv"]);
    }
}

/// A layout that takes longer than anybody waits.
const LAYOUT: [&str; 7] = [
    "tsne",
    "iris",
    "--iterations",
    "100000000",
    "-o",
    "out.csv",
    "--quality",
];

#[test]
fn an_interrupted_layout_writes_nothing_and_exits_with_the_code_of_the_signal() {
    let folder = Folder::new();
    folder.put("out.csv", "old");
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        let child = stoppable(&folder, &LAYOUT)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(2000));
        send(signal, &child);
        let answer = Answer::from(child.wait_with_output().unwrap());
        assert_eq!(answer.code, code, "{signal}");
        assert!(
            answer
                .errors
                .contains("nothing was written (`--keep-partial` "),
            "{}",
            answer.errors
        );
        assert_eq!(folder.text("out.csv"), "old");
        assert_eq!(folder.names(), ["out.csv"]);
    }
}

#[test]
fn an_interrupted_layout_is_kept_if_that_was_asked_for() {
    let folder = Folder::new();
    let words = [
        &LAYOUT[..],
        &["--keep-partial", "--json", "--save", "m.charta"],
    ]
    .concat();
    let child = stoppable(&folder, &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(3000));
    send("-TERM", &child);
    let answer = Answer::from(child.wait_with_output().unwrap());
    assert_eq!(answer.code, 143, "{}", answer.errors);
    let report = answer.json();
    assert_eq!(report["interrupted"], true);
    assert!(report["quality"].is_null());
    for said in [
        "stopped on request after",
        "the outputs hold the unfinished embedding",
    ] {
        assert!(answer.errors.contains(said), "{}", answer.errors);
    }
    assert_eq!(folder.text("out.csv").lines().count(), 151);
    folder.done(&["inspect", "m.charta"]);
    let whole = folder
        .done(&["tsne", "iris", "--iterations", "10", "--json", "-q"])
        .json();
    assert_eq!(whole["interrupted"], false);
}

/// Trainings that take longer than anybody waits, and the flag that makes them so.
const TRAININGS: [&[&str]; 3] = [
    &["umap", "--parametric", "--training-epochs"],
    &["parametric-sammon", "--n-epochs"],
    &["autoencoder", "--patience", "100000000", "--n-epochs"],
];

#[test]
fn an_interrupted_training_is_kept_if_that_was_asked_for() {
    for words in TRAININGS {
        let folder = Folder::new();
        let rest = [
            "100000000",
            "iris",
            "-o",
            "out.csv",
            "--keep-partial",
            "--json",
            "-q",
        ];
        let child = stoppable(&folder, &[words, &rest].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(4000));
        send("-INT", &child);
        let answer = Answer::from(child.wait_with_output().unwrap());
        assert_eq!(answer.code, 130, "{}", answer.errors);
        assert!(answer.errors.contains(" epochs: "), "{}", answer.errors);
        let report = answer.json();
        assert_eq!(report["interrupted"], true);
        assert_eq!(report["diagnostics"]["interrupted"], true);
        assert_eq!(folder.text("out.csv").lines().count(), 151);
    }
}

#[test]
fn the_flag_that_keeps_an_interrupted_fit_is_there_where_it_works() {
    let folder = Folder::new();
    for (method, works) in [("som", true), ("mds", true), ("pca", false), ("nmf", false)] {
        let help = folder.done(&[method, "--help"]).text;
        assert_eq!(help.contains("--keep-partial"), works, "{method}");
    }
}

#[test]
fn what_a_killed_run_left_is_removed_by_the_next_one() {
    let folder = Folder::new();
    let left = ".out.csv.charta-999999-2.part";
    folder.put(left, "half");
    let file = File::options().write(true).open(folder.path(left)).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(60))
        .unwrap();
    drop(file);
    folder.done(&["pca", "iris", "-o", "out.csv", "-q"]);
    assert_eq!(folder.names(), ["out.csv"]);
}

#[test]
fn a_streaming_run_is_interrupted_too() {
    let folder = with_big_table();
    let words = [&WORDS[..], &["--streaming", "--batch-rows", "100"]].concat();
    let mut child = stoppable(&folder, &words).spawn().unwrap();
    sleep(Duration::from_millis(400));
    send("-INT", &child);
    let status = child.wait().unwrap();
    if !status.success() {
        assert_eq!(status.code(), Some(130));
        assert_eq!(folder.names(), ["big.csv"]);
    }
}

#[test]
fn a_killed_run_leaves_no_output_under_its_name() {
    let folder = with_big_table();
    let words = [&WORDS[..], &["--save", "m.charta", "--plot", "p.png"]].concat();
    for pause in [20, 200, 500, 900] {
        let mut child = stoppable(&folder, &words).spawn().unwrap();
        sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            return;
        }
        if folder.path("out.csv").exists() {
            assert_eq!(folder.text("out.csv").lines().count(), 150_001);
            std::fs::remove_file(folder.path("out.csv")).unwrap();
        }
    }
}
