import { Alert, Group, PasswordInput, Text } from '@mantine/core';
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, dataOf, path } from '../api/client.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';

const presenceQuery = queryOptions({
  queryKey: ['presence'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/presence', { params: { path } })),
});

const set = async (body: Schemas['PresencePolicyPatch']) => {
  const policy = await dataOf(api.PATCH('/o/{shortId}/api/admin/presence', { params: { path }, body }));
  queryClient.setQueryData(presenceQuery.queryKey, policy);
};

/** Whether offers need a proof that a person was at the sign-up form. */
export function PresenceScreen() {
  const { t } = useTranslation();
  const {
    data: { policy, turnstile },
  } = useSuspenseQuery(presenceQuery);
  const isRequired = policy === 'required';
  return (
    <Screen title={t('presence.title')} needs="organization:manage" tabs={<AreaTabs of="/presence" />}>
      <Text>{t('presence.body')}</Text>
      <Facts
        facts={{
          [t('presence.policy')]: t(isRequired ? 'presence.required' : 'presence.optional'),
          Turnstile: t(turnstile ? 'presence.configured' : 'presence.notConfigured'),
        }}
      />
      {!isRequired && <Alert color="blue">{t('presence.optionalBody')}</Alert>}
      <Group>
        <Action
          label={t(isRequired ? 'presence.makeOptional' : 'presence.makeRequired')}
          confirm={{
            title: t(isRequired ? 'presence.makeOptional' : 'presence.makeRequired'),
            text: t(isRequired ? 'presence.makeOptionalBody' : 'presence.makeRequiredBody'),
          }}
          run={() => set({ policy: isRequired ? 'optional' : 'required' })}
        />
      </Group>
      <Section title="Turnstile" text={t('presence.turnstileBody')}>
        <Group>
          <TurnstileSecret />
          {turnstile && (
            <Action
              isFinal
              label={t('presence.removeSecret')}
              confirm={{ title: t('presence.removeSecret'), text: t('presence.removeSecretBody') }}
              run={() => set({ turnstileSecret: null })}
            />
          )}
        </Group>
      </Section>
      <ViewAsApi call={{ method: 'GET', path: `/o/${shortId}/api/admin/presence` }} operation="organization:manage" />
    </Screen>
  );
}

/** The secret is in the memory of the form only. */
function TurnstileSecret() {
  const { t } = useTranslation();
  let turnstileSecret = '';
  return (
    <FormDialog
      label={t('presence.setSecret')}
      submit={t('groups.save')}
      name="turnstile-secret"
      initial={{}}
      fields={(_, issueOf) => (
        <PasswordInput
          label={t('presence.secret')}
          description={t('destinations.credentialBody')}
          required
          autoComplete="off"
          maxLength={200}
          data-autofocus
          onChange={(event) => (turnstileSecret = event.currentTarget.value)}
          error={issueOf('turnstileSecret')}
        />
      )}
      run={() => set({ turnstileSecret })}
    />
  );
}
