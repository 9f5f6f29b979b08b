import { Alert, Group, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useAppNames } from '../api/app-names.ts';
import { useMe } from '../api/me.ts';
import { Action } from '../parts/action.tsx';
import { instant } from '../parts/format.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { changeCredential } from './credential-changes.ts';
import { diagnosisQuery, makeOffer, type SignInDiagnosis } from './customer-queries.ts';

const colors: Partial<Record<SignInDiagnosis['state'], string>> = {
  signs_in: 'green',
  never_signed_in: 'green',
  offer_open: 'blue',
  refused: 'yellow',
};

/** One sentence about the sign-in of the customer, with the button that helps. */
export function CustomerDiagnosis({ subject }: { subject: string }) {
  const { data, error } = useQuery(diagnosisQuery(subject));
  if (error) return <ProblemNotice error={error} />;
  return data ? <Diagnosis subject={subject} diagnosis={data} /> : <Skeleton height={80} />;
}

function Diagnosis({ subject, diagnosis }: { subject: string; diagnosis: SignInDiagnosis }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const { state, credentialId } = diagnosis;
  const [title, text] = useWords(diagnosis);
  const helpsOffer = ['offer_ended', 'revoked', 'expired', 'refused'].includes(state);
  return (
    <Alert color={colors[state] ?? 'red'} title={title}>
      {text !== '' && <Text size="sm">{text}</Text>}
      {may('customers:support') && (helpsOffer || state === 'suspended') && (
        <Group mt="sm">
          {state === 'suspended' ? (
            <Action label={t('customer.resume')} run={() => changeCredential(subject, credentialId!, 'resume')} />
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

function useWords({ state, at: time, credentialId, attempts, customer }: SignInDiagnosis): [string, string] {
  const { t } = useTranslation();
  const { nameOf } = useAppNames();
  const [last] = attempts;
  const at = time === undefined ? '–' : instant(time);
  const app = last?.app === undefined ? '–' : nameOf(last.app);
  switch (state) {
    case 'offer_open':
      return [t('diagnosis.waiting'), t('diagnosis.waitingBody', { until: at })];
    case 'offer_ended':
      return [t('diagnosis.offerEnded'), t('diagnosis.offerEndedBody')];
    case 'suspended':
      return [t('diagnosis.suspended'), t('diagnosis.suspendedBody')];
    case 'revoked':
      return [t('diagnosis.revoked'), customer.credentials.find(({ id }) => id === credentialId)?.revokedReason ?? ''];
    case 'expired':
      return [t('diagnosis.expired', { at }), t('diagnosis.expiredBody')];
    case 'refused': {
      const code = last?.code ?? '–';
      const known = refusals.find((refusal) => refusal === code);
      return [
        t('diagnosis.refused', { at, app }),
        known ? t(`diagnosis.${known}`) : t('diagnosis.otherRefusal', { code }),
      ];
    }
    case 'signs_in':
      return [t('diagnosis.signsIn', { at, app }), t('diagnosis.signsInBody')];
    case 'never_signed_in':
      return [t('diagnosis.neverSignedIn'), t('diagnosis.signsInBody')];
  }
}

const refusals = ['no_live_credential', 'counter_went_back'] as const;
