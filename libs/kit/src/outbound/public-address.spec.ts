import { expect, test } from '@jest/globals';
import { isPublicAddress } from './public-address.js';

test.each([
  ['this network', '0.0.0.0'], ['private', '10.1.2.3'], ['private', '172.16.0.1'], ['private', '172.31.255.255'], ['private', '192.168.1.1'], ['loopback', '127.0.0.1'], ['loopback', '127.255.255.254'],
  ['carrier-grade NAT', '100.64.0.1'], ['carrier-grade NAT', '100.127.255.255'], ['link-local, metadata', '169.254.169.254'], ['protocol assignments', '192.0.0.8'], ['documentation', '192.0.2.1'],
  ['documentation', '198.51.100.7'], ['documentation', '203.0.113.9'], ['benchmarks', '198.18.0.1'], ['6to4 relay', '192.88.99.1'], ['multicast', '224.0.0.1'], ['reserved', '240.0.0.1'], ['broadcast', '255.255.255.255'],
  ['unspecified', '::'], ['loopback', '::1'], ['IPv4-compatible', '::7f00:1'], ['IPv4-compatible', '::808:808'], ['mapped loopback', '::ffff:127.0.0.1'], ['mapped metadata', '::ffff:a9fe:a9fe'], ['translated', '::ffff:0:7f00:1'],
  ['NAT64 of loopback', '64:ff9b::7f00:1'], ['NAT64 of metadata', '64:ff9b::169.254.169.254'], ['NAT64 of a private one', '64:ff9b::a00:1'], ['local NAT64', '64:ff9b:1::808:808'], ['discard', '100::1'], ['Teredo', '2001::1'],
  ['6to4 of loopback', '2002:7f00:1::'], ['6to4 of metadata', '2002:a9fe:a9fe::1'], ['6to4 of a public one', '2002:808:808::1'], ['documentation', '2001:db8::1'], ['documentation', '3fff::1'], ['ORCHID', '2001:20::1'],
  ['unique local', 'fc00::1'], ['unique local', 'fd00:ec2::254'], ['link-local', 'fe80::1'], ['link-local with a zone', 'fe80::1%eth0'], ['public with a zone', '2606:4700::1111%eth0'], ['site-local', 'fec0::1'],
  ['multicast', 'ff02::1'], ['segment routing', '5f00::1'], ['not given out', '4000::1'], ['no address', 'localhost'], ['no address', ''], ['no address', '256.1.1.1'],
])('%s: %s is not public', (_, address) => expect(isPublicAddress(address)).toBe(false));

test.each(['8.8.8.8', '1.1.1.1', '93.184.216.34', '::ffff:8.8.8.8', '64:ff9b::808:808', '2606:4700::1111', '2a00:1450:4001::1'])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));
