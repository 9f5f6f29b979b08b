import { Alert, Group, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { useMe } from '../api/me.ts';
import { Action } from '../parts/action.tsx';
import { instant } from '../parts/format.ts';
import { changeCredential } from './credential-changes.ts';
import { makeOffer, type Customer, type HistoryEntry } from './customer-queries.ts';
import { diagnosisOf, type Diagnosis } from './diagnosis.ts';

const colors = { signsIn: 'green', neverSignedIn: 'green', waiting: 'blue', refused: 'yellow' } as const;

/** One sentence about the sign-in of the customer, with the button that helps. */
export function CustomerDiagnosis({ customer, history }: { customer: Customer; history: HistoryEntry[] }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const { subject } = customer;
  const diagnosis = diagnosisOf(customer, history, new Date());
  const { kind } = diagnosis;
  const [title, text] = useWords(diagnosis);
  const helpsOffer = ['offerEnded', 'revoked', 'expired', 'refused'].includes(kind);
  return (
    <Alert color={colors[kind as keyof typeof colors] ?? 'red'} title={title}>
      {text !== '' && <Text size="sm">{text}</Text>}
      {may('customers:support') && (helpsOffer || diagnosis.kind === 'suspended') && (
        <Group mt="sm">
          {diagnosis.kind === 'suspended' ? (
            <Action
              label={t('customer.resume')}
              run={() => changeCredential(subject, diagnosis.credential.id, 'resume')}
            />
          ) : (
            <Action
              label={t('customer.offerAgain')}
              confirm={{ title: t('customer.offerAgainTitle'), text: t('customer.offerAgainBody') }}
              run={() => makeOffer({ subject })}
              onDone={() => scrollTo(0, 0)}
            />
          )}
        </Group>
      )}
    </Alert>
  );
}

function useWords(diagnosis: Diagnosis): [string, string] {
  const { t } = useTranslation();
  const { nameOf } = useAppNames();
  const appOf = (app: string | undefined) => (app === undefined ? '–' : nameOf(app));
  switch (diagnosis.kind) {
    case 'waiting':
      return [t('diagnosis.waiting'), t('diagnosis.waitingBody', { until: instant(diagnosis.until) })];
    case 'offerEnded':
      return [t('diagnosis.offerEnded'), t('diagnosis.offerEndedBody')];
    case 'suspended':
      return [t('diagnosis.suspended'), t('diagnosis.suspendedBody')];
    case 'revoked':
      return [t('diagnosis.revoked'), diagnosis.reason ?? ''];
    case 'expired':
      return [t('diagnosis.expired', { at: instant(diagnosis.at) }), t('diagnosis.expiredBody')];
    case 'refused': {
      const { at, app, code } = diagnosis;
      const known = refusals.find((refusal) => refusal === code);
      return [
        t('diagnosis.refused', { at: instant(at), app: appOf(app) }),
        known ? t(`diagnosis.${known}`) : t('diagnosis.otherRefusal', { code }),
      ];
    }
    case 'signsIn':
      return [
        t('diagnosis.signsIn', { at: instant(diagnosis.at), app: appOf(diagnosis.app) }),
        t('diagnosis.signsInBody'),
      ];
    case 'neverSignedIn':
      return [t('diagnosis.neverSignedIn'), t('diagnosis.signsInBody')];
  }
}

const refusals = ['no_live_credential', 'counter_went_back'] as const;
