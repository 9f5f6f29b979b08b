import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { instant } from '../parts/format.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { newSecretKey, reloadApp, secretsQuery, type App, type ClientSecret } from './app-queries.ts';

/** The client secrets, without their values. */
export function AppSecrets({ app: { clientId } }: { app: App }) {
  const { t } = useTranslation();
  const { data, error: notRead } = useQuery(secretsQuery(clientId));
  const [revoked, setRevoked] = useState<ClientSecret>();
  const create = useMutation({
    mutationFn: () =>
      change({ createSecret: clientId }, (header) =>
        api.POST('/o/{shortId}/api/admin/apps/{clientId}/secrets', { params: { path: { ...path, clientId }, header } }),
      ),
    onSuccess: async ({ clientSecret }) => {
      queryClient.setQueryData(newSecretKey(clientId), clientSecret);
      await reloadApp(clientId);
      scrollTo(0, 0);
    },
  });
  const revoke = useMutation({
    mutationFn: (secretId: string) =>
      change({ revokeSecret: secretId, clientId }, (header) =>
        api.DELETE('/o/{shortId}/api/admin/apps/{clientId}/secrets/{secretId}', {
          params: { path: { ...path, clientId, secretId }, header },
        }),
      ),
    onSuccess: () => setRevoked(undefined),
    onSettled: () => reloadApp(clientId),
  });
  const error = create.error ?? notRead;
  return (
    <Stack gap="sm" maw={640}>
      <Title order={2} size="h4">
        {t('app.secrets')}
      </Title>
      <Text size="sm">{t('app.secretsBody')}</Text>
      {data?.items.map((secret) => (
        <Group key={secret.id} justify="space-between">
          <span>
            {secret.id} · {instant(secret.createdAt)}
          </span>
          <Button variant="default" size="compact-sm" onClick={() => setRevoked(secret)}>
            {t('app.revoke')}
          </Button>
        </Group>
      ))}
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={create.error} onCancel={create.reset} />
      <Button
        variant="default"
        style={{ alignSelf: 'flex-start' }}
        loading={create.isPending}
        onClick={() => create.mutate()}
      >
        {t('app.newSecret')}
      </Button>
      <ConfirmDialog
        opened={revoked !== undefined}
        title={t('app.revokeTitle')}
        text={t('app.revokeBody')}
        confirm={t('app.revoke')}
        mutation={revoke}
        onConfirm={() => revoked && revoke.mutate(revoked.id)}
        onClose={() => setRevoked(undefined)}
      />
    </Stack>
  );
}
