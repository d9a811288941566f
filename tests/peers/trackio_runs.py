"""Records runs in Trackio, into SQLite: see `runs.py`.

Trackio also follows the machine, which Bobbin does not: that is off.
"""

import os

import runs


class Trackio(runs.Peer):
    def __init__(self, folder, beats):
        super().__init__(folder, beats)
        os.makedirs(folder)
        # Read when it is imported. Nothing is to leave.
        os.environ.update(TRACKIO_DIR=folder, HF_HUB_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
        import trackio

        self.trackio = trackio

    def record(self, run):
        config = {"user": run.user, **runs.TAGS, **runs.SETTINGS}
        self.trackio.init(project="clusters", name=run.name, config=config, auto_log_cpu=False, auto_log_gpu=False, embed=False)
        for beat in range(self.beats):
            self.trackio.log(run.report(beat), step=beat)
        self.trackio.log(run.sums())
        self.trackio.finish()

    def every(self):
        return self.trackio.Api().runs("clusters")

    def newest(self, most):
        # It lists the oldest first.
        return [run.name for run in self.every()[-most:] if run.config["user"]]

    def of_user(self, user):
        return [run.name for run in self.every() if run.config["user"] == user]


if __name__ == "__main__":
    runs.measure("Trackio", Trackio)
