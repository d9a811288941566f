//! Which category a field belongs to, and how it is left out.

use super::view::Category;
use crate::share::FieldClass;

impl Category {
    pub const ALL: [Self; 19] = [
        Self::Clusters,
        Self::Projects,
        Self::Users,
        Self::Hosts,
        Self::Addresses,
        Self::Workers,
        Self::Paths,
        Self::Functions,
        Self::Keys,
        Self::Spans,
        Self::Environment,
        Self::Words,
        Self::ExceptionTypes,
        Self::Messages,
        Self::Tracebacks,
        Self::Code,
        Self::Lines,
        Self::Topics,
        Self::Payloads,
    ];

    /// Of a field that is called `record.field`, whose aliases have this noun.
    pub(in crate::share) fn of(field: &str, noun: &str) -> Self {
        match field {
            "cluster.name" | "cluster.cluster_class" => Self::Clusters,
            "cluster.project" | "cluster.tags" => Self::Projects,
            "cluster.user" => Self::Users,
            "cluster.host" | "worker.host" => Self::Hosts,
            "cluster.scheduler_address" | "cluster.dashboard_url" | "worker.address" => {
                Self::Addresses
            }
            "cluster.python_path" | "computation.code.filename" | "profile.frames.file" => {
                Self::Paths
            }
            "task_group.prefix" | "metric.prefix" | "profile.prefix" | "profile.frames.name" => {
                Self::Functions
            }
            "task_group.name" | "exception.group" => Self::Keys,
            "exception.exception_type" => Self::ExceptionTypes,
            "exception.message" => Self::Messages,
            "exception.traceback" | "exception.details" => Self::Tracebacks,
            "computation.code.code" => Self::Code,
            "profile.frames.text" | "profile.lines.text" => Self::Lines,
            "event.topic" | "cluster.switches.events_allow" => Self::Topics,
            "event.payload" => Self::Payloads,
            _ => match noun {
                "span" => Self::Spans,
                "version" | "os" | "architecture" | "package" => Self::Environment,
                "worker" => Self::Workers,
                "address" => Self::Addresses,
                "user" => Self::Users,
                "host" => Self::Hosts,
                "file" => Self::Paths,
                "group" => Self::Keys,
                _ => Self::Words,
            },
        }
    }

    /// What its values tell.
    pub fn class(self) -> FieldClass {
        match self {
            Self::Users
            | Self::Hosts
            | Self::Addresses
            | Self::Workers
            | Self::Paths
            | Self::Keys => FieldClass::Identity,
            Self::Messages | Self::Tracebacks => FieldClass::ErrorText,
            Self::Code | Self::Lines => FieldClass::Code,
            Self::Payloads => FieldClass::Payload,
            Self::Clusters
            | Self::Projects
            | Self::Functions
            | Self::Spans
            | Self::Environment
            | Self::Words
            | Self::ExceptionTypes
            | Self::Topics => FieldClass::Name,
        }
    }

    /// As it is written in a policy and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Clusters => "clusters",
            Self::Projects => "projects",
            Self::Users => "users",
            Self::Hosts => "hosts",
            Self::Addresses => "addresses",
            Self::Workers => "workers",
            Self::Paths => "paths",
            Self::Functions => "functions",
            Self::Keys => "keys",
            Self::Spans => "spans",
            Self::Environment => "environment",
            Self::Words => "words",
            Self::ExceptionTypes => "exception_types",
            Self::Messages => "messages",
            Self::Tracebacks => "tracebacks",
            Self::Code => "code",
            Self::Lines => "lines",
            Self::Topics => "topics",
            Self::Payloads => "payloads",
        }
    }

    /// The one that is written so.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.word() == word)
    }

    /// Whether its texts may name people and machines beside what they are about. Of the others each is decided upon as a whole,
    /// and versions look like addresses.
    pub(in crate::share) fn may_name(self) -> bool {
        self.class() != FieldClass::Identity && self != Self::Environment
    }

    /// Whether what is dropped of it keeps a number: other records name it, and would be lost with it.
    pub(in crate::share) fn links(self) -> bool {
        matches!(
            self,
            Self::Workers | Self::Addresses | Self::Keys | Self::Functions
        )
    }
}

/// What stands in a record, as JSON, for a value that is dropped; none where the record cannot do without a word.
pub(in crate::share) fn left_out(field: &str) -> Option<&'static str> {
    match field {
        "cluster.name"
        | "cluster.cluster_class"
        | "cluster.user"
        | "cluster.host"
        | "cluster.project"
        | "cluster.python_version"
        | "cluster.python_path"
        | "cluster.os"
        | "cluster.architecture"
        | "computation.code.filename"
        | "exception.message"
        | "exception.traceback"
        | "exception.details"
        | "event.payload"
        | "worker.host"
        | "worker.cause" => Some("null"),
        "computation.code.code"
        | "profile.frames.text"
        | "profile.frames.file"
        | "profile.lines.text" => Some("\"\""),
        _ => None,
    }
}
