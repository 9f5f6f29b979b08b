/** The content of a page as data, so that every state can be tested without a browser. */
export interface Screen<Action extends string> {
  tone: 'busy' | 'calm' | 'good' | 'stop';
  /** The organization's name. */
  organization?: string;
  heading: string;
  body: string[];
  facts?: { name: string; value: string }[];
  /** Things of one kind, each with what can be done about it. */
  lists?: List<Action>[];
  /** A text to edit: `primary` sends it. */
  field?: { label: string; value: string; maxLength: number };
  primary?: Control<Action>;
  /** An alternative to `primary`. */
  other?: Control<Action>;
  secondary?: Control<Action>;
  /** Where the organization leads on to. */
  links?: Link[];
  /** An address to open elsewhere: to copy, and as a QR code for another device. */
  share?: { address: string; copy: string; copied: string; scan: string };
  /** The browser may suggest passkeys by itself (conditional UI), which needs a hidden input. */
  suggestions?: boolean;
  more?: More[];
}

export interface List<Action extends string> {
  heading: string;
  items: { title: string; lines: string[]; controls?: Control<Action>[] }[];
  /** Said when there is none. */
  empty?: string;
  /** For the whole list. */
  controls?: Control<Action>[];
}

export interface Link {
  label: string;
  href: string;
}

/** A text that is shown on request. */
export interface More {
  summary: string;
  text: string;
  link?: Link;
}

/** A button or a link. */
export type Control<Action extends string> = { label: string; action: Action } | Link;
