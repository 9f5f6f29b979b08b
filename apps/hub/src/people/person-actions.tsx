import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, change, path } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { newLinkKey, reloadPerson, type Person } from './people-queries.ts';

/** A new link, deactivation, which can be undone, and removal, which cannot. */
export function PersonActions({ person: { id, name, status } }: { person: Person }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [open, setOpen] = useState<'link' | 'deactivate' | 'remove'>();
  const close = () => setOpen(undefined);
  const params = { path: { ...path, user: id } };
  const link = useMutation({
    mutationFn: () =>
      change({ link: id }, (header) =>
        api.POST('/o/{shortId}/api/admin/users/{user}/invitation', { params: { ...params, header }, body: {} }),
      ),
    onSuccess: async ({ invitationUrl }) => {
      queryClient.setQueryData(newLinkKey(id), invitationUrl);
      close();
      await reloadPerson(id);
    },
  });
  const act = useMutation({
    mutationFn: (what: 'deactivate' | 'reactivate') =>
      change({ [what]: id }, (header) =>
        api.POST(`/o/{shortId}/api/admin/users/{user}/${what}`, { params: { ...params, header } }),
      ),
    onSuccess: close,
    onSettled: () => reloadPerson(id),
  });
  const remove = useMutation({
    mutationFn: () =>
      change({ remove: id }, (header) =>
        api.DELETE('/o/{shortId}/api/admin/users/{user}', { params: { ...params, header } }),
      ),
    onSuccess: async () => {
      await navigate({ to: '/people' });
      queryClient.removeQueries({ queryKey: ['person', id] });
      queryClient.removeQueries({ queryKey: newLinkKey(id) });
      await queryClient.invalidateQueries({ queryKey: ['people'] });
    },
  });
  return (
    <>
      {status !== 'deactivated' && (
        <Button variant="default" onClick={() => setOpen('link')}>
          {t('person.newLink')}
        </Button>
      )}
      {status === 'deactivated' ? (
        <Button variant="default" loading={act.isPending} onClick={() => act.mutate('reactivate')}>
          {t('person.reactivate')}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setOpen('deactivate')}>
          {t('person.deactivate')}
        </Button>
      )}
      <Button variant="outline" color="red" onClick={() => setOpen('remove')}>
        {t('person.remove')}
      </Button>
      <ConfirmDialog
        opened={open === 'link'}
        title={t('person.newLinkTitle', { name })}
        text={t('person.newLinkBody')}
        confirm={t('person.newLink')}
        mutation={link}
        onConfirm={() => link.mutate()}
        onClose={close}
      />
      <ConfirmDialog
        opened={open === 'deactivate'}
        title={t('person.deactivateTitle', { name })}
        text={t('person.deactivateBody')}
        confirm={t('person.deactivate')}
        mutation={act}
        onConfirm={() => act.mutate('deactivate')}
        onClose={close}
      />
      <ConfirmDialog
        opened={open === 'remove'}
        title={t('person.removeTitle', { name })}
        text={t('person.removeBody')}
        typed={{ label: t('person.removeType'), text: name }}
        confirm={t('person.remove')}
        mutation={remove}
        onConfirm={() => remove.mutate()}
        onClose={close}
      />
    </>
  );
}
