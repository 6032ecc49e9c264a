//! A deck as one HTML page that holds all it shows.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use charta_plot::Format;

use super::deck::Deck;
use super::rebuild::{Compared, Rebuilt};
use crate::failure::{Failure, Outcome};
use crate::format;

const STYLE: &str = include_str!("page.css");

/// The page of a deck.
pub(super) fn page(deck: &Deck, items: &[Rebuilt]) -> Outcome<String> {
    let compared: Vec<&Compared> = items.iter().flat_map(|item| &item.numbers).collect();
    let agreeing = compared.iter().filter(|number| number.agrees).count();
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n<p>Lecture {number} · {author} · {figures}, {agreeing} of {numbers} agree</p>\n\
         <nav><ol>\n",
        title = escape(deck.title),
        number = deck.number,
        author = escape(deck.author),
        figures = format::counted(
            items.iter().map(|item| item.item.figures.len()).sum(),
            "figure"
        ),
        numbers = format::counted(compared.len(), "number"),
    );
    for (place, rebuilt) in items.iter().enumerate() {
        let title = escape(rebuilt.item.title);
        let mark = if rebuilt.is_whole() {
            ""
        } else {
            " <span class=\"differs\">✗</span>"
        };
        let _ = writeln!(
            html,
            "<li><a href=\"#item-{}\">{title}</a>{mark}</li>",
            place + 1
        );
    }
    html.push_str("</ol></nav>\n");
    for (place, rebuilt) in items.iter().enumerate() {
        section(&mut html, place + 1, rebuilt)?;
    }
    html.push_str("</body>\n</html>\n");
    Ok(html)
}

fn section(html: &mut String, number: usize, rebuilt: &Rebuilt) -> Outcome {
    let item = rebuilt.item;
    let _ = writeln!(
        html,
        "<section id=\"item-{number}\">\n<h2><small>{number} · slide “{}”</small>{}</h2>\n<p>{}</p>",
        escape(item.slide),
        escape(item.title),
        escape(item.text)
    );
    if let Some(failure) = &rebuilt.failure {
        let _ = writeln!(html, "<pre class=\"differs\">{}</pre>", escape(failure));
    } else {
        for (file, caption) in item.figures {
            html.push_str(&figure(&rebuilt.folder.join(file), caption)?);
        }
    }
    if !rebuilt.numbers.is_empty() {
        html.push_str(
            "<table>\n<tr><th></th><th>slide</th><th>charta</th><th>agrees if</th><th></th></tr>\n",
        );
        for compared in &rebuilt.numbers {
            let (class, mark) = if compared.agrees {
                ("agrees", "✓")
            } else {
                ("differs", "✗")
            };
            let _ = writeln!(
                html,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"{class}\">{mark}</td></tr>",
                escape(compared.number.what),
                escape(compared.number.slide),
                escape(&compared.text()),
                escape(&compared.number.expect.text())
            );
        }
        html.push_str("</table>\n");
    }
    if !item.departures.is_empty() {
        let _ = writeln!(
            html,
            "<p class=\"departure\">Differs from the slide: {}</p>",
            escape(item.departures)
        );
    }
    for (name, content) in item.files {
        let _ = writeln!(
            html,
            "<details><summary>{}</summary>\n<pre>{}</pre>\n</details>",
            escape(name),
            escape(content.trim_end())
        );
    }
    let commands: Vec<String> = item
        .commands
        .iter()
        .map(|command| format!("charta {command}"))
        .collect();
    for (language, code) in [
        ("Command line", commands.join("\n")),
        ("Python", item.python.trim().to_string()),
        ("Rust", item.rust.trim().to_string()),
    ] {
        if !code.is_empty() {
            let _ = writeln!(html, "<p>{language}</p>\n<pre>{}</pre>", escape(&code));
        }
    }
    html.push_str("</section>\n");
    Ok(())
}

fn figure(path: &Path, caption: &str) -> Outcome<String> {
    let bytes = fs::read(path)
        .map_err(|error| Failure::Run(format!("cannot read {}: {error}", path.display())))?;
    let format = Format::from_path(path)?;
    let (shown, caption) = (format.data_url(&bytes), escape(caption));
    Ok(match format {
        Format::Html => format!(
            "<figure><iframe title=\"{caption}\" src=\"{shown}\"></iframe><figcaption>{caption}</figcaption></figure>\n"
        ),
        Format::Png | Format::Svg => format!(
            "<figure><img alt=\"{caption}\" src=\"{shown}\"><figcaption>{caption}</figcaption></figure>\n"
        ),
    })
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
