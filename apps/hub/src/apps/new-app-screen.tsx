import { Button, Checkbox, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isProgram } from '@holdfast/contracts';
import { useMe } from '../api/me.ts';
import { shortId } from '../api/organization.ts';
import { Problem } from '../api/problem.ts';
import { queryClient } from '../api/query-client.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { Screen } from '../parts/screen.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { ViewAsApi } from '../parts/view-as-api.tsx';
import { notGrantedKey } from './app-queries.ts';
import { bodyOf, createApp, newAppDraft, newAppKinds, type NewAppValues } from './new-app.ts';
import { OperationsField } from './operations-field.tsx';

/** A guide for a new app: what it is decides which settings it has. */
export function NewAppScreen() {
  const { t } = useTranslation();
  const { may } = useMe();
  const navigate = useNavigate();
  const draft = newAppDraft();
  const form = useForm<NewAppValues>({ initialValues: draft.read(), onValuesChange: draft.store });
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: createApp,
    onSuccess: async ({ clientId, notGranted }) => {
      draft.clear();
      if (notGranted) queryClient.setQueryData(notGrantedKey(clientId), notGranted);
      await queryClient.invalidateQueries({ queryKey: ['apps'] });
      await navigate({ to: '/apps/$clientId', params: { clientId } });
    },
  });
  const issueOf = (member: string) => (error instanceof Problem ? error.issueOf(member) : undefined);
  const { kind } = form.values;
  // Only people who may manage grants create programs, and grant operations (docs/people.md).
  const kinds = newAppKinds.filter((each) => !isProgram(each) || may('grants:manage'));
  return (
    <Screen title={t('newApp.title')} needs="apps:manage">
      <form onSubmit={form.onSubmit((values) => mutate(values))}>
        <Stack maw={640}>
          <Radio.Group label={t('newApp.what')} {...form.getInputProps('kind')}>
            <Stack gap="xs" mt="xs">
              {kinds.map((each) => (
                <Radio key={each} value={each} label={t(`apps.${each}`)} description={t(`newApp.${each}`)} />
              ))}
            </Stack>
          </Radio.Group>
          <TextInput
            label={t('newApp.name')}
            description={t('newApp.nameBody')}
            required
            maxLength={100}
            {...form.getInputProps('name')}
            error={issueOf('name')}
          />
          {!isProgram(kind) && (
            <>
              <TextInput
                label={t('newApp.displayName')}
                description={t('newApp.displayNameBody')}
                maxLength={100}
                {...form.getInputProps('displayName')}
                error={issueOf('displayName')}
              />
              <Textarea
                label={t('newApp.redirectUris')}
                description={t('newApp.redirectUrisBody')}
                rows={3}
                {...form.getInputProps('redirectUris')}
                error={issueOf('redirectUris')}
              />
              <Textarea
                label={t('newApp.postLogoutRedirectUris')}
                description={t('newApp.postLogoutRedirectUrisBody')}
                rows={2}
                {...form.getInputProps('postLogoutRedirectUris')}
                error={issueOf('postLogoutRedirectUris')}
              />
            </>
          )}
          {kind === 'native' && (
            <Checkbox
              label={t('newApp.deviceAuthorization')}
              description={t('newApp.deviceAuthorizationBody')}
              {...form.getInputProps('deviceAuthorization', { type: 'checkbox' })}
            />
          )}
          {may('grants:manage') && (kind === 'service' || kind === 'web') && (
            <OperationsField
              kind={kind}
              description={t('newApp.operationsBody')}
              value={form.values.operations}
              onChange={(operations) => form.setFieldValue('operations', operations)}
              error={issueOf('operations')}
            />
          )}
          {error && !needsStepUp(error) && <ProblemNotice error={error} />}
          <StepUp error={error} onCancel={reset} />
          <Group>
            <Button type="submit" loading={isPending}>
              {t('newApp.create')}
            </Button>
          </Group>
          <ViewAsApi
            call={{ method: 'POST', path: `/o/${shortId}/api/admin/apps`, body: bodyOf(form.values) }}
            operation="apps:manage"
          />
        </Stack>
      </form>
    </Screen>
  );
}
