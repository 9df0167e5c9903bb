//! Unsaved edits outlive the program: a copy in the state folder, written soon after each edit, gone after a clean end.
//!
//! Each process writes a file of its own, `recovery/MACHINE-PID.toml`, so that two explorers of one machine leave each
//! other's edits alone. A file whose process is no more is what was left behind.

use super::session;
use crate::explore::state::memory::Memory;
use crate::explore::state::model::Model;
use crate::explore::text;
use crate::explore::vocabulary::action::Action;
use crate::explore::vocabulary::source::Source;
use crate::formats::{self, visible};
use crate::topology::Topology;
use etcetera::BaseStrategy as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Edits wait this long for more of them before they are written.
const SOON: Duration = Duration::from_millis(600);

/// Where this program keeps things from one session to the next.
pub fn state_folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.state_dir()?.join("schedtopo"))
}

/// What the writing thread is to do, in order.
enum WriterTask {
    Keep {
        topology: Arc<Topology>,
        path: PathBuf,
        of: String,
    },
    Remove(PathBuf),
    /// Say when everything before this is done.
    Answer(Sender<()>),
    /// What is remembered for the next session.
    Remember(Memory),
}

/// Edits of the machine not written yet.
struct Dirty {
    since: Instant,
    topology: Arc<Topology>,
    machine: String,
}

/// Keeps the unsaved edits of one session.
pub(super) struct RecoveryWriter {
    folder: PathBuf,
    tasks: Option<Sender<WriterTask>>,
    writer: Option<JoinHandle<()>>,
    dirty: Option<Dirty>,
    /// What was written last, and where it is.
    kept: Option<(Arc<Topology>, PathBuf)>,
    /// Files of other sessions whose edits this one goes on with.
    adopted: Vec<PathBuf>,
}

impl RecoveryWriter {
    /// Keeps edits below `state`; what goes wrong there is reported to `report`.
    pub(super) fn new(state: &Path, report: impl Fn(Action) + Send + 'static) -> Self {
        let (tasks, queue) = channel();
        let home = state.to_owned();
        let writer = thread::spawn(move || write(&queue, &home, report));
        Self {
            folder: state.join("recovery"),
            tasks: Some(tasks),
            writer: Some(writer),
            dirty: None,
            kept: None,
            adopted: Vec::new(),
        }
    }

    /// Takes note of the state after an update.
    pub(super) fn note(&mut self, model: &Model) {
        let topology = model.doc.topology();
        let kept = self.kept.as_ref().is_some_and(|(kept, _)| Arc::ptr_eq(kept, topology));
        let noted = self.dirty.as_ref().is_some_and(|dirty| Arc::ptr_eq(&dirty.topology, topology));
        if kept || noted {
            // Saving changes nothing about the machine.
            if !model.doc.is_unsaved() {
                self.clear();
            }
        } else if model.doc.is_unsaved() {
            let since = self.dirty.as_ref().map_or_else(Instant::now, |dirty| dirty.since);
            self.dirty = Some(Dirty { since, topology: Arc::clone(topology), machine: machine(model) });
        } else {
            self.clear();
        }
    }

    /// When edits have to be written.
    pub(super) fn due(&self) -> Option<Instant> {
        self.dirty.as_ref().map(|dirty| dirty.since + SOON)
    }

    /// Writes what waits, now.
    pub(super) fn flush(&mut self) {
        let Some(Dirty { topology, machine, .. }) = self.dirty.take() else { return };
        let path = self.folder.join(format!("{}-{}.toml", key(&machine), process::id()));
        if let Some((_, before)) = self.kept.take().filter(|(_, before)| *before != path) {
            self.send(WriterTask::Remove(before));
        }
        self.send(WriterTask::Keep { topology: Arc::clone(&topology), path: path.clone(), of: machine });
        self.kept = Some((topology, path));
        self.drop_adopted();
    }

    /// Writes what waits and waits until it is written, though not for long.
    pub(super) fn settle(&mut self) {
        self.flush();
        let (answer, answered) = channel();
        self.send(WriterTask::Answer(answer));
        let _ = answered.recv_timeout(SOON);
    }

    /// Keeps what is worth remembering for the next session.
    pub(super) fn remember(&self, memory: Memory) {
        self.send(WriterTask::Remember(memory));
    }

    /// Goes on with the edits of that file; it goes as soon as they are written anew.
    pub(super) fn adopt(&mut self, path: PathBuf) {
        self.adopted.push(path);
    }

    /// Nothing is unsaved, or somebody said so: nothing is kept.
    pub(super) fn clear(&mut self) {
        self.dirty = None;
        if let Some((_, path)) = self.kept.take() {
            self.send(WriterTask::Remove(path));
        }
        self.drop_adopted();
    }

    fn drop_adopted(&mut self) {
        for path in std::mem::take(&mut self.adopted) {
            self.send(WriterTask::Remove(path));
        }
    }

    fn send(&self, task: WriterTask) {
        if let Some(tasks) = &self.tasks {
            // The writer lives as long as this does.
            let _ = tasks.send(task);
        }
    }

    /// The latest edits of the machine in `model` that a process which is no more left behind.
    pub(super) fn find(&self, model: &Model) -> Option<Action> {
        let prefix = format!("{}-", key(&machine(model)));
        let entries = fs::read_dir(&self.folder).ok()?.filter_map(Result::ok);
        let mut left: Vec<_> = entries
            .filter_map(|entry| {
                let name = entry.file_name();
                let pid = name.to_str()?.strip_prefix(&prefix)?.strip_suffix(".toml")?.parse().ok()?;
                (!is_running(pid)).then_some((entry.metadata().ok()?.modified().ok()?, entry.path()))
            })
            .collect();
        left.sort();
        left.into_iter().rev().find_map(|(_, path)| {
            let topology = formats::load(&path).ok()?.topology;
            (topology != **model.doc.topology()).then(|| Action::Recoverable(path, Arc::new(topology)))
        })
    }
}

/// Deletes a file of edits found; why it could not be, if so.
pub(super) fn forget(path: &Path) -> Option<Action> {
    let error = fs::remove_file(path).err()?;
    Some(Action::NotKept(format!("{}: {error}", text::visible_path(path))))
}

impl Drop for RecoveryWriter {
    /// However the session ends: what waits is written, and the writer has finished.
    fn drop(&mut self) {
        self.flush();
        self.tasks = None;
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

fn write(tasks: &Receiver<WriterTask>, home: &Path, report: impl Fn(Action)) {
    let mut reported = false;
    for task in tasks {
        let result = match task {
            WriterTask::Keep { topology, path, of } => keep(&topology, &path, &of),
            WriterTask::Answer(answer) => {
                // Nobody may be waiting any more.
                let _ = answer.send(());
                Ok(())
            }
            WriterTask::Remember(memory) => {
                // Not worth a complaint: the next session begins as the first one did.
                let _ = create_private(home).map(|()| session::save(memory, home));
                Ok(())
            }
            WriterTask::Remove(path) => fs::remove_file(path).or_else(|error| match error.kind() {
                std::io::ErrorKind::NotFound => Ok(()),
                _ => Err(error.to_string()),
            }),
        };
        if let Err(why) = result
            && !reported
        {
            reported = true;
            report(Action::NotKept(format!("unsaved edits are not kept in case of a crash: {why}")));
        }
    }
}

fn keep(topology: &Topology, path: &Path, of: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        create_private(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let head = format!("# Unsaved edits of {}. schedtopo offers them when that machine is opened.\n", visible(of));
    formats::save_atomic(path, &(head + &formats::toml::write(topology))).map_err(|error| error.to_string())
}

/// Creates a folder that is nobody else's to read.
fn create_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What makes a machine the same one the next time.
fn machine(model: &Model) -> String {
    match &model.source {
        Some(Source::File(path)) => fs::canonicalize(path).unwrap_or_else(|_| path.clone()).display().to_string(),
        Some(Source::Preset(name)) => format!("preset {name}"),
        Some(Source::Generated(text)) => format!("made {text}"),
        Some(Source::Live) => "live".to_owned(),
        None => format!("machine {}", model.doc.topology().name),
    }
}

/// FNV-1a: the same in every version of this program.
fn key(machine: &str) -> String {
    let hash = machine
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("{hash:016x}")
}

/// Whether that process is an explorer still at work.
fn is_running(pid: u32) -> bool {
    let own = fs::read_to_string("/proc/self/comm").unwrap_or_default();
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| is_at_work(&stat, own.trim_end()))
}

/// Whether a line of `/proc/PID/stat` is of a process of that name which has not ended: one that was killed stays there
/// as a zombie until its parent asks for it.
fn is_at_work(stat: &str, name: &str) -> bool {
    let process = stat.split_once('(').and_then(|(_, rest)| rest.rsplit_once(") "));
    process.is_some_and(|(comm, state)| comm == name && !state.starts_with(['Z', 'X']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::tests::Driver;

    fn files(state: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(state.join("recovery")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_process_that_ended_and_was_not_asked_for_is_not_at_work() {
        assert!(is_at_work("12 (schedtopo) S 1 12", "schedtopo"));
        assert!(is_at_work("12 (a) b) R 1 12", "a) b"));
        for stat in ["12 (schedtopo) Z 1 12", "12 (schedtopo) X 1 12", "12 (bash) S 1 12", "", "12"] {
            assert!(!is_at_work(stat, "schedtopo"), "{stat}");
        }
        assert!(is_running(process::id()));
    }

    #[test]
    fn edits_are_kept_until_they_are_saved_or_undone() {
        let state = tempfile::tempdir().unwrap();
        let mut driver = Driver::ring4("v4.11");
        let mut keeper = RecoveryWriter::new(state.path(), |_| {});
        keeper.note(&driver.model);
        assert!(keeper.due().is_none());
        driver.keys("+");
        keeper.note(&driver.model);
        assert!(keeper.due().is_some());
        drop(keeper);
        let left = files(state.path());
        assert_eq!(formats::load(&left[0]).unwrap().topology.distances.get(0, 2), 31);
        // A process that is gone left it.
        let gone = left[0].with_file_name(format!("{}-{}.toml", key(&machine(&driver.model)), u32::MAX));
        fs::rename(&left[0], &gone).unwrap();

        let mut driver = Driver::ring4("v4.11");
        let mut keeper = RecoveryWriter::new(state.path(), |_| {});
        let found = keeper.find(&driver.model).unwrap();
        driver.act(found);
        driver.keys("y");
        assert!(driver.model.doc.is_unsaved());
        keeper.adopt(gone.clone());
        keeper.note(&driver.model);
        keeper.flush();
        driver.keys("u");
        keeper.note(&driver.model);
        drop(keeper);
        assert!(files(state.path()).is_empty());
    }

    #[test]
    fn a_state_folder_that_can_not_be_is_reported_once() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (send, reported) = channel();
        let mut driver = Driver::ring4("v4.11");
        let mut keeper = RecoveryWriter::new(file.path(), move |action| drop(send.send(action)));
        for _ in 0..2 {
            driver.keys("+");
            keeper.note(&driver.model);
            keeper.flush();
        }
        drop(keeper);
        assert_eq!(reported.iter().filter(|action| matches!(action, Action::NotKept(_))).count(), 1);
    }
}
