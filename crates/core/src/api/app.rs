//! One open Bobbin: its folder, its store and its clock.
