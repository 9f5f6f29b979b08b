/** What a page shows: data alone, so that every state can be tested without a browser. */
export interface Screen<Action extends string> {
  tone: 'busy' | 'calm' | 'good' | 'stop';
  /** The organization's name, most prominent of all. */
  organization?: string;
  heading: string;
  body: string[];
  facts?: { name: string; value: string }[];
  primary?: Act<Action>;
  /** Another way to the same end. */
  other?: Act<Action>;
  secondary?: Act<Action>;
  /** The browser may suggest passkeys by itself (conditional UI): it wants an input, which nobody sees. */
  suggestions?: boolean;
  more?: { summary: string; text: string };
}

/** A button that does something, or a link that leads somewhere. */
export type Act<Action extends string> = { label: string; action: Action } | { label: string; href: string };
