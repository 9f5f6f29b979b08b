import { Alert, Button, type ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemNotice } from './problem-notice.tsx';
import { needsStepUp, StepUp } from './step-up.tsx';

interface Props<Result> {
  label: string;
  /** What a dialog says before it is done; without it the button does it at once. */
  confirm?: { title: string; text: string; typed?: { label: string; text: string } };
  /** It cannot be undone. */
  isFinal?: boolean;
  size?: ButtonProps['size'];
  run: () => Promise<Result>;
  /** What came of it, for a change whose result is no new state of the screen. */
  result?: (result: Result) => { isGood: boolean; text: string };
  /** After it was done. */
  onDone?: (result: Result) => unknown;
}

/** A button for one change of an object, with its confirmation, a required sign-in, and what went wrong. */
export function Action<Result>({ label, confirm, isFinal = false, size = 'sm', run, result, onDone }: Props<Result>) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const mutation = useMutation({
    mutationFn: run,
    onSuccess: async (result) => {
      setOpen(false);
      await onDone?.(result);
    },
  });
  const { mutate, reset, isPending, error, data } = mutation;
  const shown = data === undefined ? undefined : result?.(data);
  return (
    <>
      <Button
        variant={isFinal ? 'outline' : 'default'}
        size={size}
        loading={isPending && !confirm}
        onClick={() => (confirm ? setOpen(true) : mutate())}
        {...(isFinal && { color: 'red' })}
      >
        {label}
      </Button>
      {confirm ? (
        <ConfirmDialog
          opened={isOpen}
          {...confirm}
          confirm={label}
          isFinal={isFinal}
          mutation={mutation}
          onConfirm={() => mutate()}
          onClose={() => setOpen(false)}
        />
      ) : needsStepUp(error) ? (
        <StepUp error={error} onCancel={reset} />
      ) : (
        <Dialog opened={error !== null} onClose={reset} title={t('problem.title')}>
          {error && <ProblemNotice error={error} />}
        </Dialog>
      )}
      <Dialog opened={shown !== undefined && !isOpen} onClose={reset} title={label}>
        <Alert color={shown?.isGood === false ? 'red' : 'green'} role="status">
          {shown?.text}
        </Alert>
      </Dialog>
    </>
  );
}
