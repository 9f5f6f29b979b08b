import type { Command } from 'commander';
import { adminListOffers, adminWithdrawOffer } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { allPages } from '../all-pages.js';
import { asOperator } from '../operator-session.js';
import { show, table } from '../output.js';

export function offerCommands(program: Command): void {
  const offers = program.command('offer').description('open offers to customers of every app');

  addCommand(offers, 'list <org>', 'list the offers that can still be claimed', [
    'offer list acme',
    'offer list acme --app app_2Vw…',
  ])
    .option('--app <clientId>', 'only those of this app')
    .action((org: string, { json, ...filter }: Json & { app?: string }) =>
      asOperator('offer list', async ({ requestsFor }) => {
        const items = await allPages(requestsFor(org), adminListOffers, filter);
        show(items, json, () =>
          table(
            ['OFFER', 'APP', 'MADE BY', 'CUSTOMER', 'TYPE', 'TO', 'EXPIRES'],
            items.map((o) => [
              o.offerId,
              o.app,
              o.maker.type === 'app' ? 'the app' : 'a person',
              o.subject,
              o.credentialType,
              o.existingCustomer ? 'known customer' : 'new customer',
              o.expiresAt,
            ]),
          ),
        );
      }),
    );

  addCommand(offers, 'withdraw <org> <offer>', 'withdraw an offer: its link can no longer be claimed', [
    'offer withdraw acme 019aa5f2-…',
  ]).action((org: string, offerId: string, { json }: Json) =>
    asOperator('offer withdraw', async ({ request }) => {
      await request(adminWithdrawOffer, { offerId }, org);
      show({ offerId }, json, () => `Offer ${offerId} is withdrawn.`);
    }),
  );
}
