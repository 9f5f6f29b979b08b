import { Button, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { ProblemNotice } from '../parts/problem-notice.tsx';
import { needsStepUp, StepUp } from '../parts/step-up.tsx';
import { useChoice } from '../parts/use-choice.ts';
import { reloadApp, type App } from './app-queries.ts';
import { OperationsField } from './operations-field.tsx';

/** What the app may do. Without the right to change it, the operations are only shown. */
export function AppOperations({ app, mayChange }: { app: App; mayChange: boolean }) {
  const { t } = useTranslation();
  const { clientId, kind, scopes } = app;
  const { chosen: operations, setChosen, keep } = useChoice(`operations ${clientId}`, scopes);
  const granted = operations.filter((operation) => !scopes.some((scope) => scope === operation));
  const ungranted = scopes.filter((scope) => !operations.includes(scope));
  const { mutate, isPending, isSuccess, error, reset } = useMutation({
    mutationFn: async () => {
      if (granted.length > 0)
        await change({ grant: granted, clientId }, (header) =>
          api.POST('/o/{shortId}/api/admin/apps/{clientId}/grants', {
            params: { path: { ...path, clientId }, header },
            body: { operations: granted },
          }),
        );
      for (const operation of ungranted)
        await change({ ungrant: operation, clientId }, (header) =>
          api.DELETE('/o/{shortId}/api/admin/apps/{clientId}/grants/{operation}', {
            params: { path: { ...path, clientId, operation }, header },
          }),
        );
    },
    onSettled: () => reloadApp(clientId),
    onSuccess: () => setChosen(undefined),
  });
  const isChanged = granted.length > 0 || ungranted.length > 0;
  return (
    <Stack gap="sm" maw={640}>
      <OperationsField
        kind={kind}
        value={operations}
        onChange={setChosen}
        description={t('app.operationsBody')}
        disabled={!mayChange}
      />
      {error && !needsStepUp(error) && <ProblemNotice error={error} />}
      <StepUp error={error} onCancel={reset} onLeave={keep} />
      {mayChange && isChanged && (
        <Button style={{ alignSelf: 'flex-start' }} loading={isPending} onClick={() => mutate()}>
          {t('app.save')}
        </Button>
      )}
      <span role="status">{isSuccess && !isChanged ? t('app.saved') : ''}</span>
    </Stack>
  );
}
