import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { refreshPages } from '../shared/api/queries.ts'
import { request } from '../shared/api/request.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { SearchField } from '../shared/components/SearchField.tsx'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { type Member, membersQuery, type Overview } from './queries.ts'

const CHOICES_MAXIMUM = 5

type TransferOwnershipProps = { overview: Overview; onTransferred: (newOwner: string) => void }

export function TransferOwnership({ overview, onTransferred }: TransferOwnershipProps) {
  const { id: organizationId } = overview.organization
  const [search, setSearch] = useState('')
  const { data, error, refetch } = useQuery({
    ...membersQuery(organizationId, {
      searchValue: search,
      filterField: 'role',
      filterOperator: 'ne',
      filterValue: 'owner',
      limit: CHOICES_MAXIMUM,
    }),
    // The open question about a member must not close while other members load.
    placeholderData: keepPreviousData,
  })
  const others = data?.members ?? []
  return (
    <>
      <p className="soft">
        The member becomes an owner and you become an admin. Both of you get an email. Only an owner can reverse it.
      </p>
      <SearchField label="Find the member" value={search} onSearch={setSearch} />
      {error && <FailureNotice error={error} retry={refetch} />}
      {data && others.length === 0 && <p>No admin or member matches.</p>}
      <ul className="rows">
        {others.map((member) => (
          <li key={member.id} className="row">
            <div className="row-text">
              <p>{member.user.name}</p>
              <p className="soft">{member.user.email}</p>
            </div>
            <TransferTo
              member={member}
              organizationName={overview.organization.name}
              onTransferred={() => onTransferred(member.user.name)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

type TransferToProps = { member: Member; organizationName: string; onTransferred: () => void }

function TransferTo({ member, organizationName, onTransferred }: TransferToProps) {
  const { name, email } = member.user

  function finish() {
    onTransferred()
    return refreshPages()
  }

  return (
    <InlineConfirm
      label="Transfer…"
      about={`the ownership to ${name}`}
      question={
        <>
          Make <strong>{name}</strong> ({email}) an owner of {organizationName}? You become an admin: you can no longer
          appoint owners or delete the organization.
        </>
      }
      confirmLabel="Transfer the ownership"
      pendingLabel="Transferring…"
      action={() =>
        request('/api/auth/organization/transfer-ownership', {
          memberId: member.id,
          organizationId: member.organizationId,
        })
      }
      onDone={finish}
    />
  )
}
