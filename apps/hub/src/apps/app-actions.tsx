import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { newSecretKey, reloadApp, type App } from './app-queries.ts';

/** Disable, which can be undone, and delete, which cannot. */
export function AppActions({ app: { clientId, name, status } }: { app: App }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'disable' | 'delete'>();
  const close = () => setOpen(undefined);
  const act = useMutation({
    mutationFn: (what: 'disable' | 'enable') =>
      change({ [what]: clientId }, (header) =>
        api.POST(`/o/{shortId}/api/admin/apps/{clientId}/${what}`, { params: { path: { ...path, clientId }, header } }),
      ),
    onSuccess: close,
    onSettled: () => reloadApp(clientId),
  });
  const remove = useMutation({
    mutationFn: () =>
      change({ delete: clientId }, (header) =>
        api.DELETE('/o/{shortId}/api/admin/apps/{clientId}', { params: { path: { ...path, clientId }, header } }),
      ),
    onSuccess: async () => {
      await navigate({ to: '/apps' });
      queryClient.removeQueries({ queryKey: ['app', clientId] });
      queryClient.removeQueries({ queryKey: newSecretKey(clientId) });
      await queryClient.invalidateQueries({ queryKey: ['apps'] });
    },
  });
  return (
    <>
      {status === 'enabled' ? (
        <Button variant="default" onClick={() => setOpen('disable')}>
          {t('app.disable')}
        </Button>
      ) : (
        <Button variant="default" loading={act.isPending} onClick={() => act.mutate('enable')}>
          {t('app.enable')}
        </Button>
      )}
      <Button variant="outline" color="red" onClick={() => setOpen('delete')}>
        {t('app.delete')}
      </Button>
      <ConfirmDialog
        opened={open === 'disable'}
        title={t('app.disableTitle', { name })}
        text={t('app.disableBody')}
        confirm={t('app.disable')}
        mutation={act}
        onConfirm={() => act.mutate('disable')}
        onClose={close}
      />
      <ConfirmDialog
        opened={open === 'delete'}
        title={t('app.deleteTitle', { name })}
        text={t('app.deleteBody')}
        typed={{ label: t('app.deleteType'), text: name }}
        confirm={t('app.delete')}
        mutation={remove}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
    </>
  );
}
