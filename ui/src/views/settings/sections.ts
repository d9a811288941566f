// The sections of the settings, and what is set in each: what the column on the left and the palette offer.

import type { IconName } from '../../parts/icons';
import { settingsAt, write, type SettingsSection } from '../../state/route';

export interface Section {
  id: SettingsSection;
  title: string;
  icon: IconName;
  /** What it is about, in a few words. */
  about: string;
  /** What is set there, by the name that its part of the page has; other words by which somebody may look for it. */
  items: { id: string; label: string; words?: string }[];
}

export const sections: readonly Section[] = [
  {
    id: 'receiver',
    title: 'Receiver',
    icon: 'plug',
    about: 'where clusters report, and who gets in',
    items: [
      { id: 'port', label: 'Receiver port', words: 'address socket tcp 8788' },
      { id: 'network', label: 'Interface: who can reach the receiver', words: 'network loopback lan listen bind address tunnel remote' },
      { id: 'certificate', label: 'Receiver certificate', words: 'pin tls sha256' },
      { id: 'token', label: 'Token', words: 'secret password replace show' },
      { id: 'keys', label: 'Issued keys', words: 'revoke write only remote handed out' },
      { id: 'file', label: 'Settings file', words: 'settings.toml configuration' },
    ],
  },
  {
    id: 'storage',
    title: 'Storage',
    icon: 'sql',
    about: 'size, retention, and snapshots',
    items: [
      { id: 'rules', label: 'Store size and retention', words: 'cap how long detail stays limit retention days age profiles code exceptions events samples prune' },
      { id: 'snapshots', label: 'Snapshots', words: 'backup copy restore' },
    ],
  },
  { id: 'prices', title: 'Prices', icon: 'price', about: 'what an hour costs, and budgets', items: [{ id: 'prices', label: 'Prices and currency', words: 'cost money budget euro dollar' }] },
  { id: 'people', title: 'People', icon: 'people', about: 'who counts as one person', items: [{ id: 'people', label: 'Names that belong to one person', words: 'users merge split' }] },
  {
    id: 'privacy',
    title: 'Privacy',
    icon: 'lock',
    about: 'encryption, switches, and sharing',
    items: [
      { id: 'key', label: 'Code at rest: encryption key', words: 'keyring encryption recovery lock unlock sealed rotate' },
      { id: 'switches', label: 'What clusters do not send', words: 'switches off transmit code profile names host user paths events' },
      { id: 'forgotten', label: 'Code never stored again', words: 'forget' },
      { id: 'sharing', label: 'Sharing', words: 'off local ask bundles upload' },
      { id: 'policy', label: 'Active policy', words: 'bobbin-policy.toml team rules own secret words in force' },
    ],
  },
  {
    id: 'inbox',
    title: 'Inbox',
    icon: 'save',
    about: 'data that arrives as files',
    items: [
      { id: 'inbox', label: 'Inbox folder', words: 'files bobbin bundle import drop' },
      { id: 'folders', label: 'Other folders to read', words: 'shared mount inbox' },
      { id: 'files', label: 'Recent files and their results', words: 'last why refused set aside imported' },
    ],
  },
  { id: 'team', title: 'Team account', icon: 'share', about: 'where approved data goes', items: [{ id: 'team', label: 'Team account', words: 'hub join push destination ledger' }] },
  {
    id: 'desktop',
    title: 'Desktop',
    icon: 'system',
    about: 'tray, login, notifications',
    items: [
      { id: 'close', label: 'Closing the window', words: 'tray background quit keep' },
      { id: 'login', label: 'Start at login', words: 'autostart session' },
      { id: 'notices', label: 'Notifications', words: 'notices finished failed stalled idle budget views alert' },
    ],
  },
  {
    id: 'appearance',
    title: 'Appearance',
    icon: 'sun',
    about: 'theme, text, time zone, units',
    items: [
      { id: 'theme', label: 'Theme', words: 'light dark system colors' },
      { id: 'contrast', label: 'Contrast', words: 'high accessibility' },
      { id: 'text', label: 'Text size', words: 'font zoom larger smaller' },
      { id: 'presenting', label: 'Larger type for presenting', words: 'demo projector' },
      { id: 'zone', label: 'Time zone', words: 'utc local clock' },
      { id: 'units', label: 'Byte units', words: 'kib kb gib gb binary decimal' },
      { id: 'tables', label: 'Tables instead of charts', words: 'accessible' },
    ],
  },
  {
    id: 'doctor',
    title: 'Doctor',
    icon: 'doctor',
    about: 'whether new clusters would be seen',
    items: [{ id: 'checks', label: 'Check this setup', words: 'diagnose problem help why not report connection receiver health wrong bobbin doctor' }],
  },
  {
    id: 'updates',
    title: 'Updates',
    icon: 'down',
    about: 'this version, and how to get a new one',
    items: [
      { id: 'build', label: 'This build: version and data format', words: 'about schema batch release' },
      { id: 'release', label: 'Check a release file', words: 'update upgrade new version signature sha256 install' },
    ],
  },
  { id: 'keys', title: 'Keyboard', icon: 'help', about: 'keys and shortcuts', items: [{ id: 'keys', label: 'Keyboard shortcuts', words: 'keys' }] },
];

export function sectionOf(id: SettingsSection): Section {
  return sections.find((section) => section.id === id) ?? sections[0]!;
}

/** What the palette offers: each section, and each thing that is set. */
export function settingEntries(): { id: string; label: string; hint: string; words: string; to: string }[] {
  return sections.flatMap((section) => [
    { id: `settings-${section.id}`, label: `Settings: ${section.title}`, hint: section.about, words: '', to: write(settingsAt(section.id)) },
    ...section.items.map((item) => ({
      id: `settings-${section.id}-${item.id}`,
      label: item.label,
      hint: `Settings, ${section.title}`,
      words: item.words ?? '',
      to: write(settingsAt(section.id, item.id)),
    })),
  ]);
}
