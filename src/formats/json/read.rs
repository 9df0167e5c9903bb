//! Reading JSON field by field, so that an error keeps the line and column it was found at.

use super::locate::locate;
use crate::formats::error::{FormatError, did_you_mean, short};
use crate::formats::file::read_bytes;
use crate::formats::raw::{PER_CPU, PER_NODE, Raw, RawLevel, RawMask};
use crate::topology::{Arch, MAX_DISTANCE, MaskLevel, Topology};
use rustc_hash::FxHashMap;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use std::fmt;
use std::io::Read;

const FIELDS: [&str; 19] = [
    "name",
    "about",
    "source",
    "arch",
    "nr_cpus",
    "node_cpus",
    "node_ids",
    "package",
    "distance",
    "levels",
    "online",
    "isolated",
    "nohz_full",
    "cpusets",
    "capacity",
    "sched_debug",
    "reclaim_distance",
    "relax_domain_level",
    "numa_in_package",
];

/// Reads one topology.
///
/// # Errors
/// Where, what and how to put it right: bad JSON, an unknown field, a bad cpulist, or a topology that can't be one.
pub fn read(text: &str) -> Result<Topology, FormatError> {
    let mut json = serde_json::Deserializer::from_str(text);
    let raw = TopologySeed.deserialize(&mut json).and_then(|raw| json.end().map(|()| raw));
    let raw = raw.map_err(|error| explain(&error))?;
    raw.into_topology().map_err(|invalid| {
        let place = locate(text, &invalid.place);
        let error = FormatError::from(invalid);
        match place {
            Some(byte) => error.at_byte(text, byte),
            None => error,
        }
    })
}

/// Reads one topology from bytes of any origin, no more of them than [`MAX_BYTES`](crate::formats::MAX_BYTES).
///
/// # Errors
/// As [`read`], and what stopped the reading.
pub fn read_from(source: impl Read) -> Result<Topology, FormatError> {
    let bytes = read_bytes(source)?;
    read(&crate::formats::file::decode(bytes)?)
}

/// The name in a line that is no valid topology, as far as it can be told.
pub fn name_of(line: &str) -> Option<String> {
    let mut name = None;
    // What is wrong with the line was reported before; here only the name matters, found before the fault or not.
    let _ = NameSeed(&mut name).deserialize(&mut serde_json::Deserializer::from_str(line));
    name
}

/// `serde_json`'s words as a fault and its cure.
fn explain(error: &serde_json::Error) -> FormatError {
    let words = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    let words = words.strip_suffix(&place).unwrap_or(&words);
    let mut explained = match words.split_once(", expected ") {
        Some((fault, expected)) if !words.contains("; ") => FormatError::new(fault, format!("give {expected}")),
        _ => FormatError::from_words(words),
    };
    if explained.cure.is_empty() {
        let ends = explained.fault.contains("EOF while parsing");
        let cure =
            if ends { "the text ends too early: close every { [ and \"" } else { "write one JSON object a topology" };
        cure.clone_into(&mut explained.cure);
    }
    if error.line() == 0 { explained } else { explained.at(error.line(), error.column().max(1)) }
}

struct TopologySeed;

impl<'de> DeserializeSeed<'de> for TopologySeed {
    type Value = Raw;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TopologySeed {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with node_cpus and distance")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut raw = Raw::default();
        let mut levels = None;
        while let Some(key) = map.next_key::<String>()? {
            let mut field = Field { key: &key, map: &mut map };
            match key.as_str() {
                "name" => field.read(&mut raw.name, Text("a name"))?,
                "about" => field.read(&mut raw.about, Text("a line of text"))?,
                "source" => field.read(&mut raw.source, Text("a line of text"))?,
                "arch" => field.read(&mut raw.arch, ArchSeed)?,
                "nr_cpus" => field.read(&mut raw.nr_cpus, Number("a number of CPUs"))?,
                "node_cpus" => field.read(&mut raw.node_cpus, List(Mask, PER_NODE))?,
                "node_ids" => field.read(&mut raw.node_ids, List(Number("a node id"), PER_NODE))?,
                "package" => field.read(&mut raw.package, List(Package, PER_NODE))?,
                "distance" => field.read(&mut raw.distance, List(List(Distance, PER_NODE), PER_NODE))?,
                "levels" => field.read(&mut levels, LevelsSeed)?,
                "online" => field.read(&mut raw.online, Mask)?,
                "isolated" => field.read(&mut raw.isolated, Mask)?,
                "nohz_full" => field.read(&mut raw.nohz_full, Mask)?,
                "cpusets" => field.read(&mut raw.cpusets, List(Mask, PER_CPU))?,
                "capacity" => field.read(&mut raw.capacity, List(Number("a capacity, 1024 is full"), PER_CPU))?,
                "sched_debug" => field.read(&mut raw.sched_debug, Switch)?,
                "reclaim_distance" => field.read(&mut raw.reclaim_distance, Number("a distance"))?,
                "relax_domain_level" => field.read(&mut raw.relax_domain_level, Number("a level"))?,
                "numa_in_package" => field.read(&mut raw.numa_in_package, Switch)?,
                _ => return Err(unknown(&key, &FIELDS)),
            }
        }
        raw.levels = levels.unwrap_or_default();
        Ok(raw)
    }
}

fn unknown<E: Error>(key: &str, known: &[&str]) -> E {
    E::custom(format!("unknown field `{}`; {}", short(key), did_you_mean(key, known)))
}

/// A field whose value comes next.
struct Field<'a, A> {
    key: &'a str,
    map: &'a mut A,
}

impl<'de, A: MapAccess<'de>> Field<'_, A> {
    fn read<S: DeserializeSeed<'de>>(&mut self, slot: &mut Option<S::Value>, seed: S) -> Result<(), A::Error> {
        if slot.is_some() {
            return Err(A::Error::custom(format!("`{}` is given twice; keep one", self.key)));
        }
        // serde_json finds the place again at the end of the text, so that naming the field does not lose it.
        let value = self.map.next_value_seed(seed);
        *slot = Some(value.map_err(|error| A::Error::custom(format!("{}: {error}", self.key)))?);
        Ok(())
    }
}

/// A list of at most so many, and what to say when there are more.
#[derive(Clone, Copy)]
struct List<S>(S, (usize, &'static str));

impl<'de, S: DeserializeSeed<'de> + Copy> DeserializeSeed<'de> for List<S> {
    type Value = Vec<S::Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: DeserializeSeed<'de> + Copy> Visitor<'de> for List<S> {
    type Value = Vec<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let Self(item, (most, cure)) = self;
        let mut list = Vec::new();
        while let Some(value) = seq.next_element_seed(item)? {
            if list.len() == most {
                return Err(A::Error::custom(format!("more than {most} values; {cure}")));
            }
            list.push(value);
        }
        Ok(list)
    }
}

/// A seed and visitor of one kind of value: what it is for people, and the visits it accepts.
macro_rules! scalar {
    ($seed:ident $(($what:ty))?, $value:ty, $ask:ident, |$self:ident| $words:expr, { $($visit:item)* }) => {
        #[derive(Clone, Copy)]
        struct $seed $(($what))?;

        impl<'de> DeserializeSeed<'de> for $seed {
            type Value = $value;

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<$value, D::Error> {
                deserializer.$ask(self)
            }
        }

        impl Visitor<'_> for $seed {
            type Value = $value;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let $self = self;
                f.write_str($words)
            }

            $($visit)*
        }
    };
}

scalar!(Text(&'static str), String, deserialize_str, |seed| seed.0, {
    fn visit_str<E: Error>(self, text: &str) -> Result<String, E> {
        Ok(text.to_owned())
    }
});

scalar!(Switch, bool, deserialize_bool, |_seed| "true or false", {
    fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
        Ok(value)
    }
});

scalar!(Number(&'static str), u32, deserialize_u64, |seed| seed.0, {
    fn visit_u64<E: Error>(self, value: u64) -> Result<u32, E> {
        u32::try_from(value).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }
});

scalar!(Distance, u32, deserialize_u64, |_seed| "a distance from 0 to 99999", {
    fn visit_u64<E: Error>(self, value: u64) -> Result<u32, E> {
        let legal = u32::try_from(value).ok().filter(|&value| value <= MAX_DISTANCE);
        legal.ok_or_else(|| E::invalid_value(Unexpected::Unsigned(value), &self))
    }
});

scalar!(Package, Option<u32>, deserialize_i64, |_seed| "a package number, -1 where it is not known", {
    fn visit_u64<E: Error>(self, value: u64) -> Result<Option<u32>, E> {
        u32::try_from(value).map(Some).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Option<u32>, E> {
        if value == -1 { Ok(None) } else { Err(E::invalid_value(Unexpected::Signed(value), &self)) }
    }
});

scalar!(Mask, RawMask, deserialize_str, |_seed| "a cpulist such as \"0-3,8\"", {
    fn visit_str<E: Error>(self, text: &str) -> Result<RawMask, E> {
        RawMask::parse(text).map_err(E::custom)
    }
});

scalar!(ArchSeed, Arch, deserialize_str, |_seed| "the name of an architecture", {
    fn visit_str<E: Error>(self, text: &str) -> Result<Arch, E> {
        Arch::ALL.into_iter().find(|arch| arch.name() == text).ok_or_else(|| {
            let cure = did_you_mean(text, &Arch::ALL.map(Arch::name));
            E::custom(format!("no architecture is called {:?}; {cure}", short(text)))
        })
    }
});

/// The level masks.
struct LevelsSeed;

impl<'de> DeserializeSeed<'de> for LevelsSeed {
    type Value = Vec<(MaskLevel, RawLevel)>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for LevelsSeed {
    type Value = Vec<(MaskLevel, RawLevel)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with smt, cls, mc or pkg")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut levels: Self::Value = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let level = MaskLevel::ALL.into_iter().find(|level| level.name() == key);
            let level = level.ok_or_else(|| unknown(&key, &MaskLevel::ALL.map(MaskLevel::name)))?;
            let mut slot = levels.iter().find(|(known, _)| *known == level).map(|(_, masks)| masks.clone());
            Field { key: &key, map: &mut map }.read(&mut slot, LevelSeed)?;
            levels.extend(slot.map(|masks| (level, masks)));
        }
        Ok(levels)
    }
}

/// One level: a cpulist per CPU.
struct LevelSeed;

impl<'de> DeserializeSeed<'de> for LevelSeed {
    type Value = RawLevel;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<RawLevel, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for LevelSeed {
    type Value = RawLevel;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of cpulists, one per CPU")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<RawLevel, A::Error> {
        let (most, cure) = PER_CPU;
        let mut masks = Interner::default();
        let mut of_cpu = Vec::new();
        while let Some(id) = seq.next_element_seed(&mut masks)? {
            if of_cpu.len() == most {
                return Err(A::Error::custom(format!("more than {most} masks; {cure}")));
            }
            of_cpu.push(id);
        }
        Ok(RawLevel::PerCpu { distinct: masks.distinct, of_cpu })
    }
}

/// Cpulists seen so far, each read once: 8192 CPUs name far fewer different ones.
#[derive(Default)]
struct Interner {
    ids: FxHashMap<Box<str>, u32>,
    distinct: Vec<RawMask>,
}

impl<'de> DeserializeSeed<'de> for &mut Interner {
    type Value = u32;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<u32, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for &mut Interner {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cpulist such as \"0-3,8\"")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u32, E> {
        if let Some(&id) = self.ids.get(text) {
            return Ok(id);
        }
        let id = self.distinct.len() as u32;
        self.distinct.push(RawMask::parse(text).map_err(E::custom)?);
        self.ids.insert(text.into(), id);
        Ok(id)
    }
}

/// Puts the name into its slot as soon as it comes by.
struct NameSeed<'a>(&'a mut Option<String>);

impl<'de> DeserializeSeed<'de> for NameSeed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for NameSeed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "name" {
                *self.0 = Some(map.next_value_seed(Text("a name"))?);
                return Ok(());
            }
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}
