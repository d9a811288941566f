"""Records runs in Aim, into its own files: see `runs.py`.

Aim also follows the machine and the terminal, which Bobbin does not: both are off.
"""

import itertools
import os

import runs
from aim import Repo, Run
from aim.sdk.index_manager import RepoIndexManager


class Aim(runs.Peer):
    def __init__(self, folder, beats):
        super().__init__(folder, beats)
        os.makedirs(folder)
        Repo.from_path(folder, init=True)

    def record(self, run):
        own = Run(repo=self.folder, experiment="clusters", system_tracking_interval=None, capture_terminal_logs=False)
        own.name = run.name
        own["user"] = run.user
        own["tags"] = runs.TAGS
        own["hparams"] = runs.SETTINGS
        for beat in range(self.beats):
            own.track(run.report(beat), step=beat)
        own.track(run.sums())
        own.close()

    def recorded(self):
        # Its server does this beside it. Before, no list has what a run was given but its name.
        repo = Repo(self.folder)
        index = RepoIndexManager.get_index_manager(repo)
        for found in repo.list_all_runs():
            index.index(found)

    def search(self, query="", most=None):
        found = Repo.from_path(self.folder).query_runs(query, report_mode=0).iter_runs()
        return [one.run.name for one in itertools.islice(found, most) if one.run["user"]]

    def newest(self, most):
        return self.search(most=most)

    def of_user(self, user):
        return self.search(f"run.user == '{user}'")


if __name__ == "__main__":
    runs.measure("Aim", Aim)
