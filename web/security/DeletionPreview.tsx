import type { Static } from 'typebox'
import { Link } from 'wouter'
import type { DeletionPreview as Preview } from '../../server/features/account/deletion/schemas.ts'
import { Notice } from '../shared/components/Notice.tsx'

type DeletionPreviewProps = { preview: Static<typeof Preview> }

export function DeletionPreview({ preview }: DeletionPreviewProps) {
  const { obstacles, organizationsDeleted, membershipsEnded, apiKeys } = preview
  if (obstacles.length > 0) return <Obstacles obstacles={obstacles} />
  if (organizationsDeleted.length === 0 && membershipsEnded.length === 0)
    return <p>You are in no organization, so only your account is deleted.</p>
  return (
    <>
      {organizationsDeleted.length > 0 && (
        <div>
          <p>
            These are deleted with your account, because you are their only member
            {apiKeys > 0 && `, and so ${apiKeys === 1 ? 'is 1 API key' : `are ${apiKeys} API keys`}`}:
          </p>
          <Names organizations={organizationsDeleted} />
        </div>
      )}
      {membershipsEnded.length > 0 && (
        <div>
          <p>You leave:</p>
          <Names organizations={membershipsEnded} />
        </div>
      )}
    </>
  )
}

function Obstacles({ obstacles }: Pick<Static<typeof Preview>, 'obstacles'>) {
  return (
    <Notice kind="information">
      <p>Your account can’t be deleted yet:</p>
      <ul className="bullets">
        {obstacles.map(({ organizationId, name, slug }) => (
          <li key={organizationId ?? ''}>
            {organizationId === null ? (
              'You are the last administrator of this service. Give another user that role first.'
            ) : (
              <>
                You are the only owner of <Link href={`/organizations/${slug}/members`}>{name}</Link>. Make another
                member an owner first.
              </>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Names({ organizations }: { organizations: { id: string; name: string }[] }) {
  return (
    <ul className="bullets">
      {organizations.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  )
}
