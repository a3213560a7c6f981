/** Names of objects of Kubernetes (RFC 1123), and UUIDs. */

/** Of a DNS name, and of most names in Kubernetes. */
const MAX_SUBDOMAIN_LENGTH = 253;
const MAX_LABEL_LENGTH = 63;

/** Why a text cannot name an object of Kubernetes (RFC 1123 subdomain), as a clause; undefined where it can. */
export function objectNameProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_SUBDOMAIN_LENGTH) return `it is longer than ${MAX_SUBDOMAIN_LENGTH} characters`;
  return text.split('.').every(isLabel)
    ? undefined
    : 'Kubernetes allows lower-case letters, digits, dashes and dots; each part between dots starts and ends with a letter or digit';
}

/** As `objectNameProblem`, for a namespace (RFC 1123 label). */
export function namespaceProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_LABEL_LENGTH) return `it is longer than ${MAX_LABEL_LENGTH} characters`;
  return isLabel(text)
    ? undefined
    : 'Kubernetes allows lower-case letters, digits and dashes, with a letter or digit at both ends';
}

export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text);
}

function isLabel(text: string): boolean {
  return /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(text);
}
