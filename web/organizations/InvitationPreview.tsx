import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { previewQuery } from './queries.ts'
import type { Role } from './roles.ts'

/** The email that an invitation sends, as text: the content security policy forbids the styles of its HTML here. */
export function InvitationPreview({ organizationId, role }: { organizationId: string; role: Role }) {
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useQuery({ ...previewQuery(organizationId, role), enabled: isOpen })
  return (
    <details className="preview" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What the email says</summary>
      {error && <FailureNotice error={error} retry={refetch} />}
      {!data && !error && <Skeleton lines={6} />}
      {data && (
        <>
          <p>
            <strong>{data.subject}</strong>
          </p>
          <pre className="sample">{data.text}</pre>
        </>
      )}
    </details>
  )
}
