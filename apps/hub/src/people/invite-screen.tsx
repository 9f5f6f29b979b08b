import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Role } from '@holdfast/contracts';
import { api, change, path } from '../api/client.ts';
import { useMe } from '../api/me.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { draftOf } from '../parts/draft.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { newLinkKey } from './people-queries.ts';
import { RolesField } from './roles-field.tsx';

const empty = { name: '', email: '', roles: [] as string[] };

/** Invites a person. The link is shown on their screen, once. */
export function InviteScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const navigate = useNavigate();
  const draft = draftOf(sessionStorage, 'invite', empty);
  const form = useForm({ initialValues: draft.read(), onValuesChange: draft.store });
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: ({ name, email, roles }: typeof empty) => {
      const body = { name: name.trim(), email: email.trim(), roles: roles as Role[] };
      return change({ invite: body }, (header) =>
        api.POST('/o/{shortId}/api/admin/users', { params: { path, header }, body }),
      );
    },
    onSuccess: async ({ user, invitationUrl }) => {
      draft.clear();
      queryClient.setQueryData(newLinkKey(user.id), invitationUrl);
      await queryClient.invalidateQueries({ queryKey: ['people'] });
      await navigate({ to: '/people/$user', params: { user: user.id } });
    },
  });
  const issueOf = (member: string) => (error instanceof Problem ? error.issueOf(member) : undefined);
  return (
    <Screen title={t('invite.title')} needs="users:manage">
      <form onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={640}>
          <Text>{t('invite.body')}</Text>
          <TextInput
            label={t('people.name')}
            required
            maxLength={200}
            {...form.getInputProps('name')}
            error={issueOf('name')}
          />
          <TextInput
            label={t('people.email')}
            type="email"
            required
            maxLength={254}
            {...form.getInputProps('email')}
            error={issueOf('email')}
          />
          {may('roles:manage') && (
            <RolesField
              value={form.values.roles}
              onChange={(roles) => form.setFieldValue('roles', roles)}
              description={t('invite.rolesBody')}
            />
          )}
          {error && !needsStepUp(error) && <ProblemNotice error={error} />}
          <StepUp error={error} onCancel={reset} />
          <Group>
            <Button type="submit" loading={isPending}>
              {t('invite.create')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Screen>
  );
}
