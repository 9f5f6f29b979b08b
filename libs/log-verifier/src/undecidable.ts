/** The log can be neither verified nor refuted. The message is a sentence that says why, and what to do. */
export class UndecidableError extends Error {}
