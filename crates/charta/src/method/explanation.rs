//! The documentation of a method as data, so that every front can show it.

use crate::params::Json;

/// What a method does and why: the documentation of its module, in sections.
///
/// Texts are Markdown without links and without code blocks: paragraphs are lines, lists begin with `- ` or `1. `.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The first sentence or two: what the method does.
    pub summary: String,
    /// The sections, in order.
    pub sections: Vec<Section>,
}

/// One section of an [`Explanation`].
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Its heading, such as "Objective".
    pub title: String,
    /// Its text.
    pub text: String,
}

/// The heading of the section that holds Rust code only.
const EXAMPLE: &str = "Example";

impl Explanation {
    /// Reads the documentation of a module.
    pub(crate) fn read(markdown: &str) -> Self {
        let markdown = &without_code(markdown);
        let mut parts = markdown.split("\n# ");
        let summary = unwrapped(parts.next().unwrap_or_default());
        let section = |part: &str| {
            let (title, text) = part.split_once('\n').unwrap_or((part, ""));
            Section {
                title: title.trim().to_string(),
                text: unwrapped(text),
            }
        };
        Self {
            summary,
            sections: parts
                .map(section)
                .filter(|section| section.title != EXAMPLE)
                .collect(),
        }
    }

    /// The text of a section, by its title.
    pub fn section(&self, title: &str) -> Option<&str> {
        let found = self.sections.iter().find(|section| section.title == title);
        found.map(|section| section.text.as_str())
    }

    /// As JSON: `summary`, and `sections` with `title` and `text`.
    pub fn to_json(&self) -> Json {
        let section =
            |section: &Section| serde_json::json!({"title": section.title, "text": section.text});
        serde_json::json!({
            "summary": self.summary,
            "sections": self.sections.iter().map(section).collect::<Vec<_>>(),
        })
    }
}

/// The lines outside code blocks, whose hidden lines begin as headings do.
fn without_code(markdown: &str) -> String {
    let mut in_code = false;
    let mut kept = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            // Text before and after a block are paragraphs of their own.
            kept.push("");
        } else if !in_code {
            kept.push(line);
        }
    }
    kept.join("\n")
}

/// The text with each paragraph and each item of a list on one line, without targets of links.
fn unwrapped(markdown: &str) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut continues = false;
    for line in markdown.lines().map(str::trim) {
        if line.is_empty() {
            continues = false;
        } else if let (true, false, Some(last)) = (continues, is_item(line), paragraphs.last_mut())
        {
            last.push(' ');
            last.push_str(line);
        } else {
            paragraphs.push(line.to_string());
            // Rows of a table stay apart.
            continues = !line.starts_with('|');
        }
    }
    without_links(&paragraphs.join("\n"))
}

/// True if the line begins an item of a list or a row of a table.
fn is_item(line: &str) -> bool {
    let numbered = line
        .split_once(". ")
        .is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    numbered || line.starts_with("- ") || line.starts_with('|')
}

/// `[text](target)` and ``[`code`]`` as their texts. Other brackets, of formulas and references, stay.
fn without_links(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        result.push_str(before);
        rest = after;
        let Some((label, after)) = after.split_once(']') else {
            result.push('[');
            continue;
        };
        let target = after
            .strip_prefix('(')
            .and_then(|target| target.split_once(')'));
        match target {
            Some((_, after)) => {
                result.push_str(label);
                rest = after;
            }
            None if label.starts_with('`') => {
                result.push_str(label);
                rest = after;
            }
            None => result.push('['),
        }
    }
    result.push_str(rest);
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::METHODS;

    #[test]
    fn documentation_is_read_into_sections() {
        let read = Explanation::read(
            "A method: it\nmaps.\n\n# Steps\n1. [`neighbors`](crate::neighbors): the\n   nearest.\n2. [x](crate::X) [0, 1] and [`Y`].\n\n# Example\n```\nuse x;\n# Ok::<(), ()>(())\n```",
        );
        assert_eq!(read.summary, "A method: it maps.");
        assert_eq!(read.sections.len(), 1);
        assert_eq!(
            read.section("Steps"),
            Some("1. `neighbors`: the nearest.\n2. x [0, 1] and `Y`.")
        );
    }

    #[test]
    fn every_method_explains_itself() {
        for entry in METHODS {
            let explanation = entry.explanation();
            let name = entry.info.name;
            assert!(explanation.summary.len() > 20, "{name}");
            let of_code = |section: &Section| section.title.contains("::");
            assert!(!explanation.sections.iter().any(of_code), "{name}");
            for title in [
                "Idea",
                "Objective",
                "Cost",
                "Choosing parameters",
                "New points",
                "References",
            ] {
                let text = explanation.section(title);
                assert!(text.is_some_and(|text| text.len() > 20), "{name}: {title}");
                assert!(
                    text.is_some_and(|text| !text.contains("](")),
                    "{name}: {title}"
                );
            }
        }
    }
}
