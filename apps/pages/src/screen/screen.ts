/** What a page shows: data alone, so that every state can be tested without a browser. */
export interface Screen<Action extends string> {
  tone: 'busy' | 'calm' | 'good' | 'stop';
  /** The organization's name, most prominent of all. */
  organization?: string;
  heading: string;
  body: string[];
  facts?: { name: string; value: string }[];
  primary?: Act<Action>;
  secondary?: Act<Action>;
  /** An input for the browser to suggest passkeys in (conditional UI). */
  field?: { label: string; hint: string };
  more?: { summary: string; text: string };
}

/** A button that does something, or a link that leads somewhere. */
export type Act<Action extends string> = { label: string; action: Action } | { label: string; href: string };
