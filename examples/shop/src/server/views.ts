import Handlebars from 'handlebars';

/** Templates that others include as {{> name}}. */
export const partials = {
  csrf: 'partials/csrf.hbs',
  claimEmail: 'partials/claim-email.hbs',
  claims: 'partials/claims.hbs',
  credential: 'partials/credential.hbs',
  presence: 'partials/presence.hbs',
  price: 'partials/price.hbs',
};

/** Handlebars escapes the values of {{ }}, so that text from customers is never interpreted as HTML. */
export function createHandlebars(): typeof Handlebars {
  const handlebars = Handlebars.create();
  handlebars.registerHelper('time', formatTime);
  return handlebars;
}

export function formatTime(instant: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
  return `${format.format(new Date(instant))} UTC`;
}
