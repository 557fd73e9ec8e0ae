import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { downloadFile } from '../../shared/api/download-file.ts'
import { ActionButton } from '../../shared/components/ActionButton.tsx'
import { DoneNotice } from '../../shared/components/DoneNotice.tsx'
import { FailureNotice } from '../../shared/components/FailureNotice.tsx'
import { counted } from '../../shared/format/number.ts'
import { type AuditFilter, exportEvents } from './filter.ts'

const LABEL = 'Export as JSON lines'

export function ExportEvents({ filter }: { filter: AuditFilter }) {
  const [count, setCount] = useState(0)
  const { mutate, isPending, data, error } = useMutation({
    meta: { label: LABEL },
    mutationFn: () => exportEvents(filter, setCount),
  })

  /** Saves nothing after another filter has replaced this one. */
  function exportAll() {
    mutate(undefined, { onSuccess: ({ text }) => downloadFile('audit-events.jsonl', 'application/jsonl', text) })
  }

  return (
    <div className="action-with-result">
      <ActionButton
        kind="quiet"
        isPending={isPending}
        pendingLabel={`Reading… ${counted(count, 'event')}`}
        onPress={exportAll}
      >
        {LABEL}
      </ActionButton>
      {error && <FailureNotice error={error} />}
      <DoneNotice>
        {data && `${counted(count, 'event')} saved.${data.hasMore ? ' There are more: choose a shorter time.' : ''}`}
      </DoneNotice>
    </div>
  )
}
