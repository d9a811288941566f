//! A file system under SQLite that notes what is written and synced, and refuses to write when it is told that the disk is
//! full. It passes everything on to the system's own, but does not wait for the disk: what would have survived is worked
//! out from the notes.
//!
//! All unsafe code of the suite is here. It stands on two promises of SQLite: a file object is as large as `szOsFile` says,
//! and used by one thread at a time; a file system that is registered stays registered, so that it is never freed.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    ffi::{CStr, c_char, c_int, c_void},
    mem::size_of,
    path::PathBuf,
    ptr,
    sync::{Mutex, MutexGuard, Once, OnceLock, PoisonError},
};

use rusqlite::ffi;

use super::op::{Id, Kind, Op, ROOT};

/// What the file system is told.
#[derive(Default)]
pub struct World {
    /// Files of this folder are noted.
    pub noted: Option<PathBuf>,
    pub ops: Vec<Op>,
    pub files: Files,
    /// Files below this folder are counted, and refused.
    pub counted: Option<PathBuf>,
    /// Writes so far, and the first that is refused.
    pub writes: u64,
    pub full_at: Option<u64>,
    /// How many were refused.
    pub refused: u64,
    /// Bobbin's wish for `synchronous=full` is not heard; `normal` holds.
    pub normal: bool,
}

/// The files that are noted.
#[derive(Default)]
pub struct Files {
    ids: BTreeMap<String, Id>,
    /// Of the one that came last.
    last: Id,
    /// New logs and journals: SQLite's own file system syncs the folder with their first sync.
    unsynced: BTreeSet<Id>,
}

static WORLD: OnceLock<Mutex<World>> = OnceLock::new();

/// What the file system is told, and what it noted.
pub fn world() -> MutexGuard<'static, World> {
    WORLD
        .get_or_init(Mutex::default)
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
}

/// SQLite's file object: its head, ours, and behind it the system's.
#[repr(C)]
struct File {
    head: ffi::sqlite3_file,
    /// A leaked `PathBuf`, or null; freed when the file is closed.
    path: *mut PathBuf,
}

/// The system's file object behind ours.
///
/// # Safety
/// `file` is one of ours: `szOsFile` asked for the room of both.
unsafe fn inner(file: *mut ffi::sqlite3_file) -> *mut ffi::sqlite3_file {
    unsafe { file.byte_add(size_of::<File>()) }
}

/// Calls a method of the system's file object.
macro_rules! pass {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        // SAFETY: SQLite calls methods only of files that were opened, and the system's has all of them.
        unsafe {
            let real = inner($file);
            match (*(*real).pMethods).$method {
                Some(method) => method(real $(, $argument)*),
                None => ffi::SQLITE_IOERR,
            }
        }
    }};
}

/// Where the file is.
fn path(file: *mut ffi::sqlite3_file) -> Option<PathBuf> {
    // SAFETY: `file` is one of ours, and its path lives until it is closed.
    unsafe { (*file.cast::<File>()).path.as_ref().cloned() }
}

impl World {
    /// The name under which a file is noted, if it is.
    fn name(&self, path: Option<&PathBuf>) -> Option<String> {
        let path = path?;
        let noted = path.parent() == self.noted.as_deref();
        let name = path.file_name()?.to_str()?;
        (noted && !name.ends_with("-shm")).then(|| name.to_owned())
    }

    /// The file that is noted as having this path, if one is. Bobbin made it where SQLite did not.
    fn file(&mut self, path: Option<&PathBuf>) -> Option<Id> {
        let name = self.name(path)?;
        let known = self.files.ids.get(&name).copied();
        Some(known.unwrap_or_else(|| self.make(name)))
    }

    /// Notes a new file.
    fn make(&mut self, name: String) -> Id {
        self.files.last += 1;
        let id = self.files.last;
        self.files.ids.insert(name.clone(), id);
        self.ops.push(Op::Made {
            folder: ROOT,
            name,
            id,
            kind: Kind::File,
        });
        id
    }

    /// Counts a write, and says whether it is refused.
    fn refuses(&mut self, path: Option<&PathBuf>) -> bool {
        let below = |path: &PathBuf| {
            self.counted
                .as_ref()
                .is_some_and(|folder| path.starts_with(folder))
        };
        if !path.is_some_and(below) {
            return false;
        }
        self.writes += 1;
        let refused = self.full_at.is_some_and(|at| self.writes >= at);
        self.refused += u64::from(refused);
        refused
    }
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    let closed = pass!(file, xClose);
    // SAFETY: the path was leaked when the file was opened, and a file is closed once.
    unsafe {
        let ours = file.cast::<File>();
        if !(*ours).path.is_null() {
            drop(Box::from_raw((*ours).path));
            (*ours).path = ptr::null_mut();
        }
    }
    closed
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    to: *mut c_void,
    count: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    pass!(file, xRead, to, count, at)
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    from: *const c_void,
    count: c_int,
    at: ffi::sqlite3_int64,
) -> c_int {
    let path = path(file);
    if world().refuses(path.as_ref()) {
        return ffi::SQLITE_FULL;
    }
    let wrote = pass!(file, xWrite, from, count, at);
    let mut world = world();
    if wrote == ffi::SQLITE_OK
        && let Some(file) = world.file(path.as_ref())
    {
        // SAFETY: SQLite gives `count` bytes to write.
        let bytes = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), count as usize) };
        world.ops.push(Op::Wrote {
            file,
            at: at as u64,
            bytes: bytes.to_vec(),
        });
    }
    wrote
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: ffi::sqlite3_int64) -> c_int {
    let path = path(file);
    let cut = pass!(file, xTruncate, size);
    let mut world = world();
    if let Some(file) = world.file(path.as_ref()) {
        world.ops.push(Op::Cut {
            file,
            size: size as u64,
        });
    }
    cut
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, _flags: c_int) -> c_int {
    let path = path(file);
    let mut world = world();
    if let Some(file) = world.file(path.as_ref()) {
        world.ops.push(Op::Synced(file));
        if world.files.unsynced.remove(&file) {
            world.ops.push(Op::Synced(ROOT));
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_size(
    file: *mut ffi::sqlite3_file,
    size: *mut ffi::sqlite3_int64,
) -> c_int {
    pass!(file, xFileSize, size)
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    pass!(file, xLock, level)
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, level: c_int) -> c_int {
    pass!(file, xUnlock, level)
}

unsafe extern "C" fn reserved(file: *mut ffi::sqlite3_file, found: *mut c_int) -> c_int {
    pass!(file, xCheckReservedLock, found)
}

unsafe extern "C" fn control(
    file: *mut ffi::sqlite3_file,
    what: c_int,
    value: *mut c_void,
) -> c_int {
    if what == ffi::SQLITE_FCNTL_PRAGMA && world().normal && !OWN.get() {
        // SAFETY: for this question `value` is an array of an answer, the pragma's name, and its value or null.
        let (name, set) = unsafe {
            let words = value.cast::<*mut c_char>();
            (CStr::from_ptr(*words.add(1)), !(*words.add(2)).is_null())
        };
        if set && name.to_bytes().eq_ignore_ascii_case(b"synchronous") {
            // Done, says this: SQLite leaves it as `auto` set it.
            return ffi::SQLITE_OK;
        }
    }
    pass!(file, xFileControl, what, value)
}

unsafe extern "C" fn sector_size(file: *mut ffi::sqlite3_file) -> c_int {
    pass!(file, xSectorSize)
}

unsafe extern "C" fn characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    pass!(file, xDeviceCharacteristics)
}

unsafe extern "C" fn shm_map(
    file: *mut ffi::sqlite3_file,
    page: c_int,
    size: c_int,
    extend: c_int,
    to: *mut *mut c_void,
) -> c_int {
    pass!(file, xShmMap, page, size, extend, to)
}

unsafe extern "C" fn shm_lock(
    file: *mut ffi::sqlite3_file,
    offset: c_int,
    count: c_int,
    flags: c_int,
) -> c_int {
    pass!(file, xShmLock, offset, count, flags)
}

unsafe extern "C" fn shm_barrier(file: *mut ffi::sqlite3_file) {
    // SAFETY: as in `pass!`; this one gives nothing back.
    unsafe {
        let real = inner(file);
        if let Some(method) = (*(*real).pMethods).xShmBarrier {
            method(real);
        }
    }
}

unsafe extern "C" fn shm_unmap(file: *mut ffi::sqlite3_file, delete: c_int) -> c_int {
    pass!(file, xShmUnmap, delete)
}

/// Without `xFetch`: Bobbin maps no file into memory.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};

/// The system's own file system, as SQLite had it before [`install`].
struct System(*mut ffi::sqlite3_vfs);

// SAFETY: it is never written to, and SQLite's own file systems may be called from any thread.
unsafe impl Send for System {}
unsafe impl Sync for System {}

static SYSTEM: OnceLock<System> = OnceLock::new();

fn system() -> *mut ffi::sqlite3_vfs {
    SYSTEM.get().map_or(ptr::null_mut(), |system| system.0)
}

/// A path as SQLite gives it; it may be null.
///
/// # Safety
/// `name` is null or ends with a zero byte.
unsafe fn named(name: *const c_char) -> Option<PathBuf> {
    (!name.is_null()).then(|| {
        let name = unsafe { CStr::from_ptr(name) };
        PathBuf::from(name.to_string_lossy().into_owned())
    })
}

unsafe extern "C" fn open(
    _vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    given: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives a name that ends with zero or is null, and room for `szOsFile` bytes.
    let path = unsafe { named(name) };
    let is_new = path.as_ref().is_some_and(|path| !path.exists());
    unsafe {
        (*file).pMethods = ptr::null();
        (*file.cast::<File>()).path = ptr::null_mut();
        let Some(real) = (*system()).xOpen else {
            return ffi::SQLITE_CANTOPEN;
        };
        let opened = real(system(), name, inner(file), flags, given);
        if opened != ffi::SQLITE_OK {
            return opened;
        }
        (*file).pMethods = &raw const METHODS;
        if let Some(path) = &path {
            (*file.cast::<File>()).path = Box::into_raw(Box::new(path.clone()));
        }
    }
    let mut world = world();
    match world.name(path.as_ref()) {
        Some(name) if is_new => {
            let id = world.make(name);
            world.files.unsynced.insert(id);
        }
        _ => {
            world.file(path.as_ref());
        }
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn delete(
    _vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    sync_folder: c_int,
) -> c_int {
    // SAFETY: as in `open`.
    let (path, deleted) = unsafe {
        let deleted = match (*system()).xDelete {
            Some(real) => real(system(), name, 0),
            None => ffi::SQLITE_IOERR,
        };
        (named(name), deleted)
    };
    let mut world = world();
    if deleted == ffi::SQLITE_OK
        && let Some(name) = world.name(path.as_ref())
    {
        world.files.ids.remove(&name);
        world.ops.push(Op::Unnamed { folder: ROOT, name });
        if sync_folder != 0 {
            world.ops.push(Op::Synced(ROOT));
        }
    }
    deleted
}

thread_local! {
    /// Whether the pragma is that of [`auto`]: other threads open connections meanwhile.
    static OWN: Cell<bool> = const { Cell::new(false) };
}

/// What SQLite runs on each new connection: `normal` is set here, since the pragma is not heard later.
unsafe extern "C" fn auto(
    db: *mut ffi::sqlite3,
    _message: *mut *mut c_char,
    _api: *const ffi::sqlite3_api_routines,
) -> c_int {
    // Not held meanwhile: the pragma asks for it, too.
    let normal = world().normal;
    if normal {
        OWN.set(true);
        // SAFETY: the connection is open, and the text ends with zero.
        unsafe {
            ffi::sqlite3_exec(
                db,
                c"pragma synchronous = normal".as_ptr(),
                None,
                ptr::null_mut(),
                ptr::null_mut(),
            );
        }
        OWN.set(false);
    }
    ffi::SQLITE_OK
}

/// Puts this file system under every connection that is opened from now on in this process.
pub fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: SQLite is built in, and a null name asks for the file system that it would take. The copy and its name
        // live for ever; all that is not replaced works on a copy, since it knows the system's by `pAppData` alone.
        unsafe {
            let real = ffi::sqlite3_vfs_find(ptr::null());
            assert!(!real.is_null(), "SQLite has no file system");
            let _ = SYSTEM.set(System(real));
            let mut ours = ptr::read(real);
            ours.szOsFile += size_of::<File>() as c_int;
            ours.zName = c"torture".as_ptr();
            ours.pNext = ptr::null_mut();
            ours.xOpen = Some(open);
            ours.xDelete = Some(delete);
            ffi::sqlite3_vfs_register(Box::into_raw(Box::new(ours)), 1);
            ffi::sqlite3_auto_extension(Some(auto));
        }
    });
}
