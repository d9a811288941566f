// What a release file and its packages are, in words.

import { ApiError } from '../../api/client';
import type { CheckedPackage, ReleaseCheck } from '../../generated/api';
import { visible } from '../../format/visible';

/** The release file among some files, and what may be its packages. */
export function chosen<F extends { name: string }>(files: F[]): { release: F; packages: F[] } {
  const named = files.filter((file) => file.name.endsWith('.release'));
  // Of a single file core says what it is instead.
  const release = named.length === 1 ? named[0] : files.length === 1 ? files[0] : undefined;
  if (release === undefined) {
    const what = named.length === 0 ? 'none of these is a release file' : `these are ${named.length} release files`;
    throw new ApiError('invalid', `${what}: ${files.map((file) => file.name).join(', ')}`, 'Choose one file whose name ends in .release, and the packages with it.');
  }
  return { release, packages: files.filter((file) => file !== release) };
}

export function ageWords(checked: ReleaseCheck): string {
  const version = `Bobbin ${visible(checked.version)}`;
  if (checked.age === 'newer') return `${version} is newer than this build`;
  if (checked.age === 'older') return `${version} is older than this build`;
  return `${version} is the version of this build`;
}

/** How a package stands to the release. */
export function packageWords(checked: ReleaseCheck, one: CheckedPackage): string {
  if (one.checked) return 'matches the release';
  return checked.packages.some((other) => other.checked) ? 'not chosen' : 'not checked';
}

/** What to do with the answer. */
export function nextWords(checked: ReleaseCheck): string {
  if (checked.install.length > 0) return 'Nothing was installed. Run this in the folder of the packages, then quit Bobbin and start it again:';
  if (checked.packages.every((one) => !one.checked)) return 'The packages were not checked. Choose them together with the release file, or run `bobbin update FILE`.';
  return checked.age === 'same' ? 'You already have this version.' : 'That version cannot use the store of this build, so there is no command to install it.';
}
