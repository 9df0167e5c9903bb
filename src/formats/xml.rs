//! XML as a tree of elements: no entity is expanded beyond the five that XML has, no document type is fetched, and depth and
//! number are bounded.

use super::error::FormatError;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// How deep elements may stand in one another.
const MAX_DEPTH: usize = 128;
/// The most elements: `lstopo` writes about ten a CPU.
const MAX_ELEMENTS: usize = 1_000_000;

/// An element.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: Vec<(String, String)>,
    /// The text directly in it.
    pub(super) text: String,
    pub(super) children: Vec<Element>,
    /// Its line, from 1.
    pub(super) line: usize,
}

impl Element {
    /// An attribute's value.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// A number; `None` where there is none, or nothing of that name.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.get(name)?.parse().ok()
    }

    /// The children of a name.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The first element of a name, in it or below it.
    pub(super) fn find(&self, name: &str) -> Option<&Element> {
        if self.name == name {
            return Some(self);
        }
        self.children.iter().find_map(|child| child.find(name))
    }
}

/// Reads the first element of a text and what is in it.
///
/// # Errors
/// When it is no XML, an element is not closed, or bounds are passed, with line and column.
pub(super) fn read(text: &str) -> Result<Element, FormatError> {
    // People paste what is inside a document: what is before the first element is no matter.
    let start = text.find('<').unwrap_or(text.len());
    let body = &text[start..];
    let mut reader = Reader::from_str(body);
    let mut lines = Lines { text, at: 0, line: 1 };
    let mut open: Vec<Element> = Vec::new();
    let mut count = 0;
    loop {
        let byte = start + reader.buffer_position() as usize;
        let wrong = |fault: String| FormatError::new(fault, "give the XML as the tool wrote it").at_byte(text, byte);
        let event = reader.read_event().map_err(|error| wrong(format!("bad XML: {error}")))?;
        let done = match event {
            Event::Start(tag) => {
                let element = element(&tag, lines.line_of(byte)).map_err(wrong)?;
                count += 1;
                if open.len() >= MAX_DEPTH || count > MAX_ELEMENTS {
                    return Err(wrong(format!("more than {MAX_DEPTH} elements deep, or more than {MAX_ELEMENTS}")));
                }
                open.push(element);
                None
            }
            Event::Empty(tag) => {
                count += 1;
                close(&mut open, element(&tag, lines.line_of(byte)).map_err(wrong)?)
            }
            Event::End(_) => open.pop().and_then(|element| close(&mut open, element)),
            Event::Text(words) => {
                if let Some(element) = open.last_mut() {
                    element.text.push_str(&words.xml_content(XmlVersion::Implicit1_0));
                }
                None
            }
            Event::Eof => return Err(wrong("the XML ends before its first element does".to_owned())),
            _ => None,
        };
        if let Some(root) = done {
            return Ok(root);
        }
    }
}

/// An element is whole: its parent has it, or it is the root.
fn close(open: &mut [Element], element: Element) -> Option<Element> {
    match open.last_mut() {
        Some(parent) => {
            parent.children.push(element);
            None
        }
        None => Some(element),
    }
}

fn element(tag: &BytesStart, line: usize) -> Result<Element, String> {
    let mut attributes = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| format!("bad XML: {error}"))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| format!("bad XML: {error}"))?;
        attributes.push((name_of(attribute.key.as_ref()), value.into_owned()));
    }
    Ok(Element { name: name_of(tag.name().as_ref()), attributes, line, ..Element::default() })
}

fn name_of(name: impl AsRef<[u8]>) -> String {
    String::from_utf8_lossy(name.as_ref()).into_owned()
}

/// Lines of bytes that are asked for in order.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl Lines<'_> {
    fn line_of(&mut self, byte: usize) -> usize {
        let byte = byte.clamp(self.at, self.text.len());
        self.line += self.text[self.at..byte].matches('\n').count();
        self.at = byte;
        self.line
    }
}

/// A value as it stands between quotes.
pub(super) fn quoted(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entities_are_not_expanded_and_bounds_hold() {
        let bomb = "<!DOCTYPE a [<!ENTITY b \"cccc\"><!ENTITY d \"&b;&b;\">]><a x='&d;'/>";
        assert!(read(bomb).unwrap_err().to_string().contains("bad XML"));
        let text = "<!DOCTYPE a [<!ENTITY b \"cccc\">]><a>1&b;2</a>";
        assert_eq!(read(text).unwrap().text, "12");
        let deep = "<a>".repeat(200);
        assert!(read(&deep).unwrap_err().to_string().contains("128 elements deep"));
        assert!(read("<a><b></a>").unwrap_err().to_string().contains("bad XML"));
        assert!(read("<a>").unwrap_err().to_string().contains("ends before"));
        assert_eq!(read("\n<a>\n<b x='&lt;1'/></a>").unwrap().children[0].get("x"), Some("<1"));
        assert_eq!(read("\n<a>\n<b/></a>").unwrap().children[0].line, 3);
    }
}
