//! The order of the rooms, held by the `use` lines: what a room may know, what only the terminal's side may, and no
//! circles of files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::{self, Visit};

/// A room, and the rooms it may know besides itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("cpumask", &[]),
    ("topology", &["cpumask"]),
    ("kernel", &["cpumask", "topology"]),
    ("formats", &["cpumask", "topology", "kernel"]),
    ("presets", &["topology", "formats"]),
    ("verify", &["cpumask", "topology", "kernel", "formats"]),
    ("counters", &["cpumask", "topology", "kernel", "formats"]),
    ("analysis", &["cpumask", "topology", "kernel"]),
    ("balance", &["cpumask", "topology", "kernel"]),
    ("explore", &["cpumask", "topology", "kernel", "formats", "presets", "counters", "analysis", "balance"]),
    ("tui", &["cpumask", "topology", "kernel", "formats", "presets", "counters", "analysis", "balance", "explore"]),
    (
        "cli",
        &[
            "cpumask", "topology", "kernel", "formats", "presets", "verify", "counters", "analysis", "balance",
            "explore", "tui",
        ],
    ),
];
/// Crates that only the terminal's side may use.
const TERMINAL: &[&str] = &["ratatui", "crossterm", "signal_hook"];
/// What the explorer without a terminal may not use besides.
const OUTSIDE: &[&str] = &["std::fs", "std::env", "std::process", "std::thread", "etcetera", "tempfile"];

/// Where files know one another in a circle, the largest circle that is left.
const CIRCLES: &[(&str, usize)] = &[("formats", 2), ("kernel", 3)];

/// The paths a file names, in `use` lines and in full elsewhere; its tests left out.
#[derive(Default)]
struct Paths {
    found: Vec<Vec<String>>,
    model_methods: bool,
}

impl Paths {
    fn tree(&mut self, before: &[String], tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.tree(&[before, &[path.ident.to_string()]].concat(), &path.tree),
            syn::UseTree::Name(name) if name.ident == "self" => self.found.push(before.to_vec()),
            syn::UseTree::Name(name) => self.found.push([before, &[name.ident.to_string()]].concat()),
            syn::UseTree::Rename(rename) => self.found.push([before, &[rename.ident.to_string()]].concat()),
            syn::UseTree::Glob(_) => self.found.push(before.to_vec()),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.tree(before, tree)),
        }
    }
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let syn::Meta::List(list) = &attribute.meta else { return false };
        attribute.path().is_ident("cfg") && list.tokens.to_string() == "test"
    })
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_test(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.tree(&[], &item.tree);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if let syn::Type::Path(path) = &*item.self_ty {
            self.model_methods |= item.trait_.is_none() && path.path.is_ident("Model");
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.found.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }
}

/// A source file as the crate has it: `kernel::groups::plain`.
struct Source {
    module: Vec<String>,
    paths: Paths,
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    let source = |file: PathBuf| {
        let text = fs::read_to_string(&file).expect("a source file can be read");
        let mut paths = Paths::default();
        paths.visit_file(&syn::parse_file(&text).expect("a source file is Rust"));
        let inside = file.strip_prefix(&root).expect("it is below src").with_extension("");
        let mut module: Vec<String> = inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|last| last == "mod") {
            module.pop();
        }
        Source { module, paths }
    };
    files.into_iter().map(source).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a source folder can be read") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests") {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            files.push(path);
        }
    }
}

/// A path as it is from the crate on; `None` for other crates.
fn in_crate(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut at = match path.first()?.as_str() {
        "crate" => Vec::new(),
        "super" | "self" => module.to_vec(),
        _ => return None,
    };
    for part in path.iter().filter(|part| *part != "crate" && *part != "self") {
        if part == "super" {
            at.pop();
        } else {
            at.push(part.clone());
        }
    }
    Some(at)
}

#[test]
fn rooms_know_only_what_is_below_them() {
    let may: HashMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let sources = sources();
    let mut wrong = BTreeSet::new();
    for Source { module, paths } in &sources {
        let Some(room) = module.first().filter(|room| !["lib", "main"].contains(&room.as_str())) else { continue };
        let known = may.get(room.as_str());
        for path in paths.found.iter().filter_map(|path| in_crate(module, path)) {
            let Some(other) = path.first().filter(|other| *other != room && may.contains_key(other.as_str())) else {
                continue;
            };
            if !known.is_some_and(|known| known.contains(&other.as_str())) {
                wrong.insert(format!("{} uses {other}", module.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let seen: BTreeSet<&str> = sources.iter().filter_map(|source| source.module.first().map(String::as_str)).collect();
    for (room, _) in ROOMS {
        assert!(seen.contains(room), "there is no room {room} any more");
    }
}

#[test]
fn only_the_terminals_side_knows_a_terminal_and_only_it_and_the_inputs_know_files() {
    let mut wrong = BTreeSet::new();
    for Source { module, paths } in sources() {
        let room = module.first().map(String::as_str).unwrap_or_default();
        for path in paths.found {
            let path = path.join("::");
            let names = |banned: &&&str| path == **banned || path.starts_with(&format!("{banned}::"));
            let terminal = TERMINAL.iter().find(names).filter(|_| room != "tui");
            let outside = OUTSIDE.iter().find(names).filter(|_| room == "explore");
            if let Some(banned) = terminal.or(outside) {
                wrong.insert(format!("{} uses {banned}", module.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn methods_of_the_model_are_in_one_folder() {
    let with: Vec<String> =
        sources().iter().filter(|source| source.paths.model_methods).map(|source| source.module.join("::")).collect();
    assert!(!with.is_empty() && with.iter().all(|module| module.starts_with("explore::state::")), "{with:?}");
}

#[test]
fn files_know_one_another_in_no_circle() {
    let sources = sources();
    let index: BTreeMap<&[String], usize> =
        sources.iter().enumerate().map(|(at, source)| (source.module.as_slice(), at)).collect();
    // The longest part of a path that is a file; what only declares its files is no knowledge of them.
    let target = |path: &[String]| (1..=path.len()).rev().find_map(|long| index.get(&path[..long]).copied());
    let arrows: Vec<BTreeSet<usize>> = sources
        .iter()
        .enumerate()
        .map(|(at, source)| {
            let paths = source.paths.found.iter().filter_map(|path| in_crate(&source.module, path));
            paths.filter_map(|path| target(&path)).filter(|&other| other != at).collect()
        })
        .collect();
    let reached: Vec<BTreeSet<usize>> = (0..sources.len()).map(|from| reach(&arrows, from)).collect();
    for (at, source) in sources.iter().enumerate() {
        let circle: Vec<usize> = reached[at].iter().copied().filter(|&other| reached[other].contains(&at)).collect();
        let room = source.module.first().map(String::as_str).unwrap_or_default();
        let most = CIRCLES.iter().find(|(name, _)| *name == room).map_or(1, |&(_, most)| most);
        let names: Vec<String> = circle.iter().map(|&other| sources[other].module.join("::")).collect();
        assert!(circle.len() <= most, "a circle of {}: {names:#?}", circle.len());
    }
}

/// Everything that can be come to along arrows, the start itself only along a circle.
fn reach(arrows: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut next: Vec<usize> = arrows[from].iter().copied().collect();
    while let Some(at) = next.pop() {
        if seen.insert(at) {
            next.extend(&arrows[at]);
        }
    }
    seen
}
