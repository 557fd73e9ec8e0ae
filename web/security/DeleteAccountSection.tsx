import { useQuery } from '@tanstack/react-query'
import { authentication } from '../shared/api/authentication.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { DeleteByPassword } from './DeleteByPassword.tsx'
import { DeletionPreview } from './DeletionPreview.tsx'
import { EmailedLink } from './EmailedLink.tsx'
import { deletionPreviewQuery, hasPasswordQuery } from './queries.ts'
import { SettingRow } from './SettingRow.tsx'

export function DeleteAccountSection({ email }: { email: string }) {
  return (
    <SettingRow
      id="deletion"
      title="Delete your account"
      summary="Your account, its sessions and its memberships are deleted for good. We can’t restore them."
      label="Delete my account…"
    >
      {() => <Deletion email={email} />}
    </SettingRow>
  )
}

/** Says what is deleted before an email is sent or a password asked for. */
function Deletion({ email }: { email: string }) {
  const preview = useQuery(deletionPreviewQuery)
  const hasPassword = useQuery(hasPasswordQuery)
  // A later failure must not take a typed password away.
  for (const { data, error, refetch } of [preview, hasPassword])
    if (error && data === undefined) return <FailureNotice error={error} retry={refetch} />
  if (preview.data === undefined || hasPassword.data === undefined) return <Skeleton lines={3} />
  return (
    <>
      <DeletionPreview preview={preview.data} />
      {preview.data.obstacles.length === 0 && (
        <>
          {hasPassword.data && (
            <DeleteByPassword email={email} organizationsDeleted={preview.data.organizationsDeleted} />
          )}
          <EmailedLink
            offer={<p className="soft">Without the password: we can email {email} a link that deletes your account.</p>}
            sentNotice={`An email is on its way to ${email}. Its link deletes your account. It works for an hour.`}
            send={() => authentication.deleteUser()}
          />
        </>
      )}
    </>
  )
}
