// The certificate library depends on this module and requires it to be imported first.
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY_MS = 86_400_000;

/** A certificate and its key as PEM, as `node:https` takes them. */
export interface Identity {
  cert: string;
  key: string;
}

export interface IdentityOptions {
  /** Host names and IP addresses that the certificate is issued for. */
  hosts: string[];
  /** Days from now until it expires; a negative number creates an expired certificate. */
  days?: number;
}

/** A certificate authority for one test. Nobody trusts it unless told to. */
export class Authority {
  private serial = 1;

  private constructor(
    private readonly keys: webcrypto.CryptoKeyPair,
    private readonly certificate: x509.X509Certificate,
  ) {}

  static async make(name = 'CN=Test authority'): Promise<Authority> {
    const keys = await newKeys();
    const extensions = [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ];
    const times = { notBefore: fromNow(-400), notAfter: fromNow(400) };
    const made = { name, keys, signingAlgorithm: ALGORITHM, serialNumber: '01', extensions, ...times };
    return new Authority(keys, await x509.X509CertificateGenerator.createSelfSigned(made));
  }

  /** The CA certificate as PEM, to be added to the trusted ones. */
  get pem(): string {
    return this.certificate.toString('pem');
  }

  async issue({ hosts, days = 30 }: IdentityOptions): Promise<Identity> {
    const keys = await newKeys();
    const names = hosts.map((value) => ({ type: isIP(value) !== 0 ? ('ip' as const) : ('dns' as const), value }));
    const made = {
      subject: `CN=${hosts[0] ?? ''}`,
      issuer: this.certificate.subject,
      publicKey: keys.publicKey,
      signingKey: this.keys.privateKey,
      signingAlgorithm: ALGORITHM,
      serialNumber: (++this.serial).toString(16).padStart(4, '0'),
      notBefore: fromNow(-300),
      notAfter: fromNow(days),
      extensions: [new x509.SubjectAlternativeNameExtension(names)],
    };
    const certificate = await x509.X509CertificateGenerator.create(made);
    const key = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    return { cert: certificate.toString('pem'), key: x509.PemConverter.encode(key, 'PRIVATE KEY') };
  }
}

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
}

function fromNow(days: number): Date {
  return new Date(Date.now() + days * DAY_MS);
}
