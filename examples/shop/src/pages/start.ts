import { html, type Html } from '../web/html.ts';
import { accountOf, show, type Answer, type Visit } from '../web/visit.ts';

interface Ware {
  name: string;
  price: string;
  members: string;
  words: string;
  picture: string;
}

const mornings: Ware[] = [
  {
    name: 'Stoneware mug',
    price: '18.00',
    members: '15.00',
    words: 'Thrown by hand, holds a proper coffee.',
    picture: 'mug',
  },
  { name: 'Sourdough loaf', price: '6.50', members: '5.50', words: 'Baked at five, gone by ten.', picture: 'loaf' },
  { name: 'Window basil', price: '4.00', members: '3.20', words: 'Likes sun, forgives holidays.', picture: 'plant' },
];

export function start(visit: Visit): Answer {
  const { shop, query } = visit;
  const { path } = shop.settings;
  const account = accountOf(visit);
  return show({
    title: shop.name,
    wide: true,
    body: html`${query.get('state') === 'signed-out' && html`<div class="notice good" role="status"><p>You are signed out. See you soon!</p></div>`}
<section class="hero">
${account ? greeting(account.name, path) : invitation(shop.name, path)}
</section>
<h2 class="centred">This week</h2>
<ul class="wares">${mornings.map((ware) => card(ware, account !== undefined))}</ul>`,
  });
}

function invitation(name: string, path: string): Html {
  return html`<h1>Good things for slow mornings</h1>
<p>Members of ${name} pay less and hear of the fresh batch first. Joining takes a minute, and there is no password to think up: you sign in with a passkey.</p>
<p class="deeds"><a class="button" href="${path}/sign-up">Sign up</a> <a class="button quiet" href="${path}/sign-in">Sign in</a></p>`;
}

function greeting(name: string, path: string): Html {
  return html`<h1>Welcome back, ${name}</h1>
<p>You are signed in: the prices below are yours.</p>
<p class="deeds"><a class="button" href="${path}/account">My account</a></p>`;
}

function card({ name, price, members, words, picture }: Ware, member: boolean): Html {
  return html`<li><svg viewBox="0 0 24 24" aria-hidden="true">${pictures[picture]}</svg>
<h3>${name}</h3>
<p>${words}</p>
<p class="price">${member ? html`<s><span class="unseen">Instead of </span>€ ${price}</s> <strong>€ ${members}</strong>` : html`<strong>€ ${price}</strong> <span class="fine">members € ${members}</span>`}</p></li>`;
}

const pictures: Record<string, Html> = {
  mug: html`<path d="M4 9h12v7a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4zM16 11h2a3 3 0 0 1 0 6h-2M8 3c-1 1.2 1 1.8 0 3M12 3c-1 1.2 1 1.8 0 3"/>`,
  loaf: html`<path d="M3 13c0-4 4-7 9-7s9 3 9 7c0 1.6-1 2.6-2 3v2.5a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1V16c-1-.4-2-1.4-2-3zM9 10l1.5 3M13 9.5l1.5 3"/>`,
  plant: html`<path d="M7 15h10l-1.2 6H8.2zM12 15V8M12 10C12 7 9.5 5 6 5c0 3.5 2.5 5 6 5zM12 8c0-3 2.5-5 6-5 0 3.5-2.5 5-6 5z"/>`,
};
