// What the view in sight is about, as it is known beyond this store. The view itself says so.

class Place {
  /** The scheduler of the cluster that is looked at. */
  scheduler: string | null = $state(null);
}

export const place = new Place();
