import { html, type Html } from './html.ts';
import type { Notice } from './sessions.ts';
import type { Page, Visit } from './visit.ts';

/** The frame of every page. A notice is shown once. */
export function layout(visit: Visit, { title, body, wide, widget }: Page): string {
  const { shop, session } = visit;
  const { path, organization } = shop.settings;
  const notice = session?.notice;
  if (session) delete session.notice;
  return documentOf(
    title === shop.name ? title : `${title} – ${shop.name}`,
    organization,
    html`<header>
<a class="brand" href="${path}"><img src="/icon.svg" alt="" width="36" height="36">${shop.name}</a>
<nav aria-label="Shop">${links(visit)}</nav>
</header>
<main${wide && html` class="wide"`}>
${notice && noticeOf(notice)}
${body}
</main>
<footer><p>An example of an app built on Holdfast. Nothing here is for sale.</p><p><a href="${path}/staff">For staff</a></p></footer>`,
    widget ? shop.settings.widget : undefined,
  );
}

/** Also for a page that belongs to no shop. */
export function documentOf(title: string, theme: string, body: Html, widget?: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">
${
  widget &&
  html`<link rel="stylesheet" href="${widget}/altcha.css">
<script type="module" src="${widget}/widget.js"></script>`
}
<link rel="icon" href="/icon.svg" type="image/svg+xml">
</head>
<body class="${theme}">
${body}
</body>
</html>
`.text;
}

/** A form that changes something: POST, with the session's CSRF token. */
export function formOf(visit: Visit, action: string, content: Html): Html {
  return html`<form method="post" action="${visit.shop.settings.path}${action}">
<input type="hidden" name="csrf" value="${visit.session?.csrf}">
${content}
</form>`;
}

function links(visit: Visit): Html {
  const { path } = visit.shop.settings;
  if (!visit.session?.customer)
    return html`<a href="${path}/sign-up">Sign up</a> <a class="button small" href="${path}/sign-in">Sign in</a>`;
  return html`<a href="${path}/account">My account</a> ${formOf(visit, '/sign-out', html`<button class="small quiet">Sign out</button>`)}`;
}

function noticeOf({ kind, text, small }: Notice): Html {
  return html`<div class="notice ${kind}" role="${kind === 'good' ? 'status' : 'alert'}"><p>${text}</p>${small && html`<p class="fine">${small}</p>`}</div>`;
}
