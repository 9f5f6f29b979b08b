import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { startRegistration, type PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@holdfast/api-client';
import { api, change, dataOf, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { queryClient } from '../api/query-client.ts';
import { Action } from '../parts/action.tsx';
import { AreaTabs } from '../parts/area-tabs.tsx';
import { Facts } from '../parts/facts.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { instant } from '../parts/format.ts';
import { ObjectTable } from '../parts/object-table.tsx';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { Section } from '../parts/section.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { AccountSessions } from './account-sessions.tsx';
import { LanguageChoice } from './language-choice.tsx';

type Passkey = Schemas['UserPasskey'];

const passkeysQuery = queryOptions({
  queryKey: ['own-passkeys'],
  queryFn: () => dataOf(api.GET('/o/{shortId}/api/admin/users/me/passkeys', { params: { path } })),
});
const reload = () => queryClient.invalidateQueries({ queryKey: ['own-passkeys'] });

/** The account of the person who is signed in: passkeys, and the language of the hub. */
export function AccountScreen() {
  const { t } = useTranslation();
  const { me } = useMe();
  const { data, error } = useQuery(passkeysQuery);
  return (
    <Screen title={t('account.title')} tabs={<AreaTabs of="/account" />}>
      <Facts
        facts={{
          [t('people.name')]: me.name,
          [t('people.email')]: me.email,
          [t('people.roles')]: me.roles.map((role) => t(`role.${role}`)).join(', ') || t('overview.noRoles'),
        }}
      />
      <Section title={t('account.passkeys')} text={t('account.passkeysBody')} actions={<AddPasskey />}>
        {error && <ProblemNotice error={error} />}
        {data && (
          <ObjectTable
            items={data.items}
            keyOf={({ id }) => id}
            columns={[
              { title: t('apps.name'), cell: ({ name }) => <span dir="auto">{name}</span> },
              { title: t('account.synced'), cell: ({ synced }) => t(synced ? 'list.yes' : 'list.no') },
              { title: t('account.added'), cell: ({ createdAt }) => instant(createdAt) },
              {
                title: t('account.lastUsed'),
                cell: ({ lastUsedAt }) => (lastUsedAt === undefined ? '–' : instant(lastUsedAt)),
              },
              {
                title: t('list.actions'),
                cell: (passkey) => <PasskeyActions passkey={passkey} isLast={data.items.length === 1} />,
              },
            ]}
          />
        )}
      </Section>
      <AccountSessions />
      <LanguageChoice />
      <ViewAsApi
        call={{ method: 'GET', path: `/o/${shortId}/api/admin/users/me/passkeys` }}
        operation="account:manage"
      />
    </Screen>
  );
}

function AddPasskey() {
  const { t } = useTranslation();
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => {
      const { options } = await change({ passkeyOptions: Date.now() }, (header) =>
        api.POST('/o/{shortId}/api/admin/users/me/passkeys/options', { params: { path, header } }),
      );
      const optionsJSON = options as unknown as PublicKeyCredentialCreationOptionsJSON;
      const response = await startRegistration({ optionsJSON }).catch((cause: unknown) => {
        throw new Error(t('account.notCreated'), { cause });
      });
      return change({ passkey: response.id }, (header) =>
        api.POST('/o/{shortId}/api/admin/users/me/passkeys', {
          params: { path, header },
          body: { response: response as unknown as Record<string, never> },
        }),
      );
    },
    onSuccess: reload,
  });
  return (
    <Stack gap="xs" align="flex-end">
      <Button variant="default" loading={isPending} onClick={() => mutate()}>
        {t('account.add')}
      </Button>
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={error} onCancel={reset} />
    </Stack>
  );
}

function PasskeyActions({ passkey: { id, name }, isLast }: { passkey: Passkey; isLast: boolean }) {
  const { t } = useTranslation();
  const params = { path: { ...path, passkey: id } };
  return (
    <Group gap="xs" wrap="nowrap">
      <FormDialog
        size="compact-sm"
        label={t('account.rename')}
        submit={t('groups.save')}
        name={`passkey-${id}`}
        initial={{ name }}
        fields={(form, issueOf) => (
          <TextInput
            label={t('apps.name')}
            required
            maxLength={60}
            data-autofocus
            {...form.getInputProps('name')}
            error={issueOf('name')}
          />
        )}
        run={(values) =>
          change({ rename: id, ...values }, (header) =>
            api.PATCH('/o/{shortId}/api/admin/users/me/passkeys/{passkey}', {
              params: { ...params, header },
              body: { name: values.name.trim() },
            }),
          )
        }
        onDone={reload}
      />
      {isLast ? (
        <Text size="xs">{t('account.lastStays')}</Text>
      ) : (
        <Action
          isFinal
          size="compact-sm"
          label={t('account.remove')}
          confirm={{ title: t('account.removeTitle', { name }), text: t('account.removeBody') }}
          run={() =>
            change({ removePasskey: id }, (header) =>
              api.DELETE('/o/{shortId}/api/admin/users/me/passkeys/{passkey}', { params: { ...params, header } }),
            )
          }
          onDone={reload}
        />
      )}
    </Group>
  );
}
