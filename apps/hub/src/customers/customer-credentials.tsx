import { Card, Group, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { Action } from '../parts/action.tsx';
import { Facts } from '../parts/facts.tsx';
import { instant } from '../parts/format.ts';
import { ObjectId } from '../parts/object-id.tsx';
import { Section } from '../parts/section.tsx';
import { changeCredential } from './credential-changes.ts';
import { isExpired, reloadCustomer, type Credential, type Customer } from './customer-queries.ts';

/** What the customer holds, the latest last, and the offers that wait for a claim. */
export function CustomerCredentials({ customer: { subject, credentials, offers = [] } }: { customer: Customer }) {
  const { t } = useTranslation();
  const { may } = useMe();
  return (
    <Section title={t('customer.credentials')}>
      <Stack gap="sm">
        {credentials.map((credential) => (
          <CredentialCard key={credential.id} subject={subject} credential={credential} />
        ))}
        {offers.map(({ offerId, expiresAt }) => (
          <Card key={offerId} withBorder>
            <Group justify="space-between">
              <Text size="sm">{t('customer.openOffer', { until: instant(expiresAt) })}</Text>
              {may('offers:write') && (
                <Action
                  size="compact-sm"
                  label={t('customer.withdraw')}
                  confirm={{ title: t('customer.withdrawTitle'), text: t('customer.withdrawBody') }}
                  run={() =>
                    change({ withdraw: offerId }, (header) =>
                      api.DELETE('/o/{shortId}/api/credentials/offers/{offerId}', {
                        params: { path: { ...path, offerId }, header },
                      }),
                    )
                  }
                  onDone={() => reloadCustomer(subject)}
                />
              )}
            </Group>
          </Card>
        ))}
      </Stack>
    </Section>
  );
}

function CredentialCard({ subject, credential }: { subject: string; credential: Credential }) {
  const { t } = useTranslation();
  const { may } = useMe();
  const { id, credentialType, status, revocable, issuedAt, expiresAt, revokedAt, revokedReason, holders } = credential;
  const state = status === 'issued' && isExpired(credential, new Date()) ? 'expired' : status;
  return (
    <Card withBorder>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>
            {credentialType} · {t(`credential.${state}`)}
          </Text>
          <Group gap="xs">
            {may('customers:support') && revocable && status === 'issued' && (
              <Action
                size="compact-sm"
                label={t('customer.suspend')}
                confirm={{ title: t('customer.suspendTitle'), text: t('customer.suspendBody') }}
                run={() => changeCredential(subject, id, 'suspend')}
              />
            )}
            {may('customers:support') && status === 'suspended' && (
              <Action
                size="compact-sm"
                label={t('customer.resume')}
                run={() => changeCredential(subject, id, 'resume')}
              />
            )}
            {may('issued:manage') && status !== 'revoked' && (revocable || status === 'offered') && (
              <Action
                isFinal
                size="compact-sm"
                label={t('customer.revoke')}
                confirm={{ title: t('customer.revokeTitle'), text: t('customer.revokeBody') }}
                run={() => changeCredential(subject, id, 'revoke')}
              />
            )}
          </Group>
        </Group>
        <Facts
          facts={{
            [t('credential.id')]: <ObjectId id={id} />,
            [t('credential.issuedAt')]: issuedAt && instant(issuedAt),
            [t('credential.expiresAt')]: expiresAt && instant(expiresAt),
            [t('credential.revokedAt')]: revokedAt && instant(revokedAt),
            [t('credential.reason')]: revokedReason,
            [t('credential.passkeys')]:
              holders && holders.map(({ addedAt }) => t('credential.passkey', { at: instant(addedAt) })).join(', '),
          }}
        />
      </Stack>
    </Card>
  );
}
