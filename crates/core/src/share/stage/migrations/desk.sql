-- What the desk remembers, for each destination. It never leaves this machine.

-- Which number an alias has: `host-3`. What the store keeps sealed (code, messages, payloads) has no value here: it is
-- recognised by its keyed hash alone.
CREATE TABLE IF NOT EXISTS alias (
    destination TEXT NOT NULL, noun TEXT NOT NULL, fingerprint BLOB NOT NULL, value TEXT, number INTEGER NOT NULL,
    PRIMARY KEY (destination, noun, fingerprint)) STRICT, WITHOUT ROWID;
-- No two things have one alias.
CREATE UNIQUE INDEX IF NOT EXISTS alias_number ON alias (destination, noun, number);
-- What was decided of a value, named by its fingerprint, or of a category, where `item` is empty.
CREATE TABLE IF NOT EXISTS decision (
    destination TEXT NOT NULL, category TEXT NOT NULL, item TEXT NOT NULL, decision TEXT NOT NULL,
    PRIMARY KEY (destination, category, item)) STRICT, WITHOUT ROWID;
-- What was decided of something that looks like a secret, named by its fingerprint.
CREATE TABLE IF NOT EXISTS settled (
    destination TEXT NOT NULL, finding TEXT NOT NULL, state TEXT NOT NULL,
    PRIMARY KEY (destination, finding)) STRICT, WITHOUT ROWID;
-- What the shares that were approved told of a value.
CREATE TABLE IF NOT EXISTS shared (
    destination TEXT NOT NULL, item TEXT NOT NULL, shown TEXT NOT NULL,
    PRIMARY KEY (destination, item)) STRICT, WITHOUT ROWID;
-- Fields that a person has approved shares with.
CREATE TABLE IF NOT EXISTS consent (
    destination TEXT NOT NULL, field TEXT NOT NULL,
    PRIMARY KEY (destination, field)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS last_share (
    destination TEXT PRIMARY KEY, sha256 TEXT NOT NULL, at_micros INTEGER NOT NULL) STRICT, WITHOUT ROWID;
-- What was approved in advance, and what its destination meant then.
CREATE TABLE IF NOT EXISTS approved_in_advance (
    destination TEXT PRIMARY KEY, meant TEXT NOT NULL, level TEXT NOT NULL, since_micros INTEGER NOT NULL,
    until_micros INTEGER NOT NULL, fields TEXT NOT NULL) STRICT, WITHOUT ROWID;
-- Those of earlier versions were for a name, whatever was called so: they have to be given again.
DROP TABLE IF EXISTS standing;
-- Words that are secrets, as keyed hashes.
CREATE TABLE IF NOT EXISTS word (
    fingerprint BLOB PRIMARY KEY, bytes INTEGER NOT NULL, rolling INTEGER NOT NULL) STRICT, WITHOUT ROWID;
