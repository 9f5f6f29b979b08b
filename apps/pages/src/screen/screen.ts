/** The content of a page as data, so that every state can be tested without a browser. */
export interface Screen<Action extends string> {
  tone: 'busy' | 'calm' | 'good' | 'stop';
  /** The organization's name. */
  organization?: string;
  heading: string;
  body: string[];
  facts?: { name: string; value: string }[];
  primary?: Control<Action>;
  /** An alternative to `primary`. */
  other?: Control<Action>;
  secondary?: Control<Action>;
  /** An address to open elsewhere: to copy, and as a QR code for another device. */
  share?: { address: string; copy: string; copied: string; scan: string };
  /** The browser may suggest passkeys by itself (conditional UI), which needs a hidden input. */
  suggestions?: boolean;
  more?: { summary: string; text: string };
}

/** A button or a link. */
export type Control<Action extends string> = { label: string; action: Action } | { label: string; href: string };
