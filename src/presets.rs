//! Machines that come with the program: real ones, ones of famous bug reports, and the smallest that show something.

use crate::formats::{FormatError, toml};
use crate::topology::Topology;

/// A machine that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// What it is called, short and easy to type.
    pub name: &'static str,
    /// Its TOML file, which also says where the data comes from.
    pub text: &'static str,
}

impl Preset {
    /// The machine.
    ///
    /// # Errors
    /// None for the presets of this program: tests load every one.
    pub fn topology(&self) -> Result<Topology, FormatError> {
        toml::read(self.text).map_err(|error| error.in_file(format!("preset {}", self.name)))
    }

    /// What it is, in one line.
    pub fn about(&self) -> &'static str {
        let line = self.text.lines().find_map(|line| line.strip_prefix("about"));
        line.map_or("", |rest| rest.trim_matches([' ', '=', '"']))
    }
}

/// Every preset: the 2017 story first, then by maker.
pub fn all() -> impl ExactSizeIterator<Item = &'static Preset> + Clone {
    PRESETS.iter()
}

/// The preset of this name.
pub fn find(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

/// The preset whose name is most like `name`, for a "did you mean".
pub fn nearest(name: &str) -> Option<&'static Preset> {
    let likeness = |preset: &Preset| strsim::jaro_winkler(preset.name, name);
    let best = PRESETS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    best.filter(|best| likeness(best) > 0.75)
}

/// The list, each file named once: the compiler then sees changes to any of them, and a missing one is an error.
macro_rules! presets {
    ($($name:literal)*) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../presets/", $name, ".toml")) }),*]
    };
}

static PRESETS: &[Preset] = presets! {
    "ring4"
    "mesh8"
    "bull8"
    "line4"
    "asym4"
    "swap4"
    "odd4"
    "odd5"
    "asym7"
    "tiers5"
    "x4600"
    "magnycours"
    "magny-sparse"
    "interlagos"
    "opteron8"
    "opteron4"
    "naples"
    "naples-emul"
    "naples-dimm"
    "rome"
    "milan"
    "milan-nps2"
    "genoa"
    "hbv3"
    "mi300a"
    "westmere"
    "r910"
    "dunnington"
    "xeon-ring"
    "x3750"
    "two-boxes"
    "haswell-cod"
    "r740"
    "skylake-snc2"
    "spr-snc2"
    "spr-snc4"
    "xeon-max"
    "optane"
    "gnr-snc3"
    "gnr-snc3-1s"
    "hpe16"
    "ltp4"
    "knl"
    "raptorlake"
    "pe2950"
    "flat2"
    "flat2-ht"
    "flat4"
    "flat8"
    "llc-2nodes"
    "llc-half"
    "llc-all"
    "qemu16"
    "uv2000"
    "uv2000-part"
    "kunpeng920"
    "kunpeng128"
    "kunpeng-mini"
    "taishan"
    "phytium"
    "a64fx"
    "gh200"
    "gb10"
    "android-x3"
    "juno"
    "cls-nodes"
    "power9"
    "power9-gpu6"
    "power8"
    "power7"
    "power-lpar"
    "s390-drawer"
    "s390-offline"
    "altix64"
    "integrity17"
    "ia64-quads"
    "sg2042"
    "loongson"
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::MaskLevel;
    use std::collections::BTreeSet;

    #[test]
    fn every_preset_loads_and_says_what_it_is() {
        for preset in all() {
            let topology = preset.topology().unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(topology.name, preset.name);
            assert_eq!(topology.about, preset.about());
            assert!(!topology.about.is_empty() && topology.about.chars().count() <= 110, "{}", preset.name);
            assert!(!topology.source.is_empty(), "{}", preset.name);
        }
    }

    #[test]
    fn names_are_unique_and_typeable() {
        let names: BTreeSet<&str> = all().map(|preset| preset.name).collect();
        assert_eq!(names.len(), all().len());
        for name in names {
            let typeable = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!((1..=16).contains(&name.len()) && name.bytes().all(typeable), "{name}");
        }
    }

    #[test]
    fn every_file_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/presets");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        assert_eq!(files, all().map(|preset| preset.name.to_owned()).collect());
    }

    #[test]
    fn saving_an_unchanged_preset_keeps_every_byte() {
        for preset in all() {
            let topology = preset.topology().unwrap();
            assert_eq!(toml::save(preset.text, &topology).unwrap(), preset.text, "{}", preset.name);
        }
    }

    #[test]
    fn only_granite_rapids_names_packages() {
        // Releases from 6.19 on take machines that name their packages for Granite Rapids, and mend its table.
        let named = all().filter(|preset| preset.topology().unwrap().nodes.iter().any(|node| node.package.is_some()));
        assert_eq!(named.map(|preset| preset.name).collect::<Vec<_>>(), ["gnr-snc3", "gnr-snc3-1s"]);
    }

    #[test]
    fn well_known_ones_are_as_known() {
        let ring = find("ring4").unwrap().topology().unwrap();
        assert_eq!((ring.nr_cpus, ring.nodes.len()), (4, 4));
        assert_eq!(ring.distances.rows().next().unwrap(), [10, 20, 30, 20]);
        assert_eq!(find("mesh8").unwrap().topology().unwrap().nr_cpus, 48);
        let naples = find("naples").unwrap().topology().unwrap();
        assert_eq!(naples.mask(MaskLevel::Mc).get(0).to_string(), "0-2,48-50");
        assert_eq!(naples.nodes[1].cpus.to_string(), "6-11,54-59");
        assert_eq!(find("power9").unwrap().topology().unwrap().nodes[2].id, 252);
        assert_eq!(nearest("rign4").unwrap().name, "ring4");
        assert_eq!(find("none"), None);
    }
}
