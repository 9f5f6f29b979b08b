import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  opened: boolean;
  title: string;
  onClose: () => void;
  children: ReactNode;
}

export function Dialog({ opened, title, onClose, children }: Props) {
  const { t } = useTranslation();
  return (
    <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('shell.close') }}>
      {children}
    </Modal>
  );
}
