import { FAILED_CHUNK } from './ChunkBoundary.tsx'
import { Modal } from './Modal.tsx'

type FailedDialogProps = { isOpaque?: boolean; cancelLabel: string; onCancel: () => void }

/** Replaces a dialog whose code could not be loaded. */
export function FailedDialog({ isOpaque = false, cancelLabel, onCancel }: FailedDialogProps) {
  return (
    <Modal
      heading="A part of this page could not be loaded"
      isOpaque={isOpaque}
      cancelLabel={cancelLabel}
      onCancel={onCancel}
    >
      <p className="lead">{FAILED_CHUNK.advice}</p>
      <button type="button" className="button button-main" onClick={() => location.reload()}>
        {FAILED_CHUNK.remedy}
      </button>
    </Modal>
  )
}
