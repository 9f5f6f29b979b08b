import { Stack } from '@mantine/core';
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { useAppNames } from '../api/app-names.ts';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { Facts } from '../parts/facts.tsx';
import { shortened } from '../parts/identifier.ts';
import { ScreenLink } from '../parts/link.tsx';
import { ObjectId } from '../parts/object-id.tsx';
import { QrCode } from '../parts/qr-code.tsx';
import { Screen } from '../parts/screen.tsx';
import { ShownOnce } from '../parts/shown-once.tsx';
import { useKnown } from '../parts/use-known.ts';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { CustomerCredentials } from './customer-credentials.tsx';
import { CustomerDiagnosis } from './customer-diagnosis.tsx';
import { CustomerHistory } from './customer-history.tsx';
import { customerQuery, historyQuery, makeOffer, newOfferKey } from './customer-queries.ts';
import { CustomerSessions } from './customer-sessions.tsx';

/** One customer: why they can or cannot sign in, what they hold, where they are signed in, what happened. */
export function CustomerScreen() {
  const { t } = useTranslation();
  const { subject } = useParams({ from: '/customers/$subject' });
  const { may } = useMe();
  const { nameOf } = useAppNames();
  const { data: customer } = useSuspenseQuery(customerQuery(subject));
  const history = useInfiniteQuery({ ...historyQuery(subject), enabled: may('customers:history') });
  const offer = useKnown<Schemas['Offer']>(newOfferKey(subject));
  return (
    <Screen
      title={t('customer.title', { id: shortened(subject) })}
      actions={
        <>
          {may('customers:support') && (
            <Action
              label={t('customer.offerAgain')}
              confirm={{ title: t('customer.offerAgainTitle'), text: t('customer.offerAgainBody') }}
              run={() => makeOffer({ subject })}
              onDone={() => scrollTo(0, 0)}
            />
          )}
          {may('issued:manage') && <EraseCustomer subject={subject} />}
        </>
      }
    >
      {offer && (
        <ShownOnce
          title={t('customer.linkOnce')}
          text={t('customer.linkOnceBody')}
          label={t('customer.link')}
          value={offer.claimUrl}
        >
          <QrCode text={offer.claimUrl} description={t('customer.qr')} />
        </ShownOnce>
      )}
      {may('customers:history') && <CustomerDiagnosis subject={subject} />}
      <Facts
        facts={{
          [t('customers.customer')]: <ObjectId id={subject} />,
          [t('customers.app')]: nameOf(customer.app!),
        }}
      />
      {may('audit:read') && (
        <ScreenLink to="/audit-log" search={{ target: subject }}>
          {t('customer.log')}
        </ScreenLink>
      )}
      <Stack gap="xl">
        <CustomerCredentials customer={customer} />
        <CustomerSessions subject={subject} />
        {may('customers:history') && <CustomerHistory query={history} />}
      </Stack>
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/credentials/subjects/${subject}` }}
        operation="issued:read"
      />
    </Screen>
  );
}

function EraseCustomer({ subject }: { subject: string }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return (
    <Action
      isFinal
      label={t('customer.erase')}
      confirm={{
        title: t('customer.eraseTitle'),
        text: t('customer.eraseBody'),
        typed: { label: t('customer.eraseType'), text: subject.slice(0, 8) },
      }}
      run={() =>
        change({ erase: subject }, (header) =>
          api.DELETE('/o/{shortId}/api/credentials/subjects/{subject}', {
            params: { path: { ...path, subject }, header },
          }),
        )
      }
      onDone={async () => {
        await navigate({ to: '/customers', search: {} });
        queryClient.removeQueries({ queryKey: ['customer', subject] });
        queryClient.removeQueries({ queryKey: newOfferKey(subject) });
        await queryClient.invalidateQueries({ queryKey: ['customers'] });
      }}
    />
  );
}
