"""Records runs in MLflow, into SQLite: see `runs.py`."""

import logging
import os

# Before it is imported: nothing is to leave.
os.environ.update(MLFLOW_DISABLE_TELEMETRY="true", DO_NOT_TRACK="true")

import mlflow
import runs

logging.disable(logging.INFO)


class Mlflow(runs.Peer):
    def __init__(self, folder, beats):
        super().__init__(folder, beats)
        os.makedirs(folder)
        # Several write at once: each waits as long as it takes.
        mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db?timeout=60")
        self.experiment = mlflow.set_experiment("clusters").experiment_id

    def record(self, run):
        with mlflow.start_run(run_name=run.name, tags={"mlflow.user": run.user, **runs.TAGS}):
            mlflow.log_params(runs.SETTINGS)
            for beat in range(self.beats):
                mlflow.log_metrics(run.report(beat), step=beat)
            mlflow.log_metrics(run.sums())

    def search(self, **wanted):
        found = mlflow.MlflowClient().search_runs([self.experiment], order_by=["attributes.start_time DESC"], **wanted)
        return [run.info.run_name for run in found]

    def newest(self, most):
        return self.search(max_results=most)

    def of_user(self, user):
        return self.search(filter_string=f"attributes.user_id = '{user}'")


if __name__ == "__main__":
    runs.measure("MLflow", Mlflow)
